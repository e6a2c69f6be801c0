"""Uses what openapi-python-client makes of the document. Run by .ci/clients."""

import os
from math import isclose, sqrt
from typing import TypeVar

from generated import AuthenticatedClient
from generated.api.api_standards import create_api_standard, delete_api_standard
from generated.api.embeddings import delete_embeddings, list_embeddings, upload_embeddings
from generated.api.llm_service_instances import put_instance
from generated.api.projects import create_project, delete_project, export_project, get_project
from generated.api.similarity_search import search_batch, search_by_text_id, search_by_vector
from generated.api.users import create_user, delete_user
from generated.models import (
    BatchedAnswer,
    BatchedError,
    CreateApiStandardBody,
    CreateApiStandardBodyKeyMethod,
    CreateUserBody,
    DeleteEmbeddings,
    DeleteEmbeddingsFilter,
    EmbeddingInput,
    EmbeddingInputMetadataType0,
    EmbeddingList,
    InstanceInput,
    NewProject,
    Problem,
    Search,
    SearchBatch,
    SearchFilter,
    SearchIncludeItem,
    SearchResultMetadata,
    Upload,
)
from generated.types import UNSET, Unset

base_url = os.environ["SEMBLANCE_URL"]
handle = "openapi-python-client"
project = "colours"
Answer = TypeVar("Answer")


def client_of(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=base_url, token=key, timeout=None)


def success(answer: Answer | Problem | None) -> Answer:
    """What was answered, if that was a success."""
    assert answer is not None and not isinstance(answer, Problem), answer
    return answer


def item(text_id: str, vector: list[float] | str, tone: str, text: str | Unset = UNSET) -> EmbeddingInput:
    metadata = EmbeddingInputMetadataType0.from_dict({"tone": tone})
    return EmbeddingInput(text_id=text_id, vector=vector, metadata=metadata, text=text)


admin = client_of(os.environ["SEMBLANCE_ADMIN_KEY"])
new_user = CreateUserBody(user_handle=handle, name="Py", email="py@example.org")
user = success(create_user.sync(client=admin, body=new_user))
assert (user.user_handle, user.name, user.email) == (handle, "Py", "py@example.org"), user
client = client_of(user.api_key)

new_standard = CreateApiStandardBody(
    api_standard_handle=handle,
    description="A key in a header",
    key_method=CreateApiStandardBodyKeyMethod.AUTH_APIKEY,
    key_field="X-API-Key",
)
standard = success(create_api_standard.sync(client=admin, body=new_standard))
assert standard.to_dict() == new_standard.to_dict(), standard

new_instance = InstanceInput(
    endpoint="https://provider.example/v1/embeddings",
    api_standard=handle,
    model="tiny",
    dimensions=3,
    api_key_encrypted="the-key-of-a-provider",
)
instance = success(put_instance.sync(handle, "tiny", client=client, body=new_instance))
assert (instance.owner, instance.dimensions, instance.has_api_key) == (handle, 3, True), instance

new_project = NewProject(project_handle=project, instance_owner=handle, instance_handle="tiny")
made = success(create_project.sync(handle, client=client, body=new_project))
assert (made.project_handle, made.public_read) == (project, False), made
assert made.instance_id == instance.instance_id, made

upload = Upload(
    instance_handle="tiny",
    vector_dim=3,
    embeddings=[
        item("red", [1, 0, 0], "warm", "Red"),
        item("orange", [1, 0.5, 0], "warm"),
        item("violet", [1, 0, 1], "cold"),
        # 0, 0, 1 as little-endian float32, and a text_id that a path has to escape.
        item("light blue/2", "AAAAAAAAAAAAAIA/", "cold"),
    ],
)
uploaded = success(upload_embeddings.sync(handle, project, client=client, body=upload))
assert uploaded.uploaded == ["red", "orange", "violet", "light blue/2"], uploaded

of_stored = success(
    search_by_text_id.sync(handle, project, "light blue/2", client=client, limit=2, threshold=0.1)
)
assert [result.id for result in of_stored.results] == ["violet"], of_stored
assert isclose(of_stored.results[0].similarity, sqrt(0.5), abs_tol=1e-6), of_stored

by_filter = Search(
    vector=[1, 0.4, 0],
    filter_=SearchFilter.from_dict({"tone": {"$in": ["warm"]}}),
    include=[SearchIncludeItem.METADATA, SearchIncludeItem.VECTOR],
)
filtered = success(search_by_vector.sync(handle, project, client=client, body=by_filter))
assert [(result.id, result.metadata, result.vector) for result in filtered.results] == [
    ("orange", SearchResultMetadata.from_dict({"tone": "warm"}), [1, 0.5, 0]),
    ("red", SearchResultMetadata.from_dict({"tone": "warm"}), [1, 0, 0]),
], filtered
assert isclose(filtered.results[0].similarity, 0.9965458, abs_tol=1e-6), filtered

in_groups = Search(vector=[1, 0.4, 0], threshold=0, group_by="tone", group_size=2)
grouped = success(search_by_vector.sync(handle, project, client=client, body=in_groups))
assert [(result.id, result.group) for result in grouped.results] == [
    ("orange", "warm"),
    ("red", "warm"),
    ("violet", "cold"),
    ("light blue/2", "cold"),
], grouped

batch = SearchBatch(searches=[Search(vector=[0, 0, 1], limit=1), Search(text_id="green")])
answers = success(search_batch.sync(handle, project, client=client, body=batch)).answers
first, second = answers
assert isinstance(first, BatchedAnswer) and isinstance(second, BatchedError), answers
assert (first.mode, first.results[0].id) == ("exact", "light blue/2"), first
assert second.error.status == 404, second


def listed(limit: int | Unset = UNSET, after: str | Unset = UNSET) -> EmbeddingList:
    answer = list_embeddings.sync(handle, project, client=client, limit=limit, after=after)
    assert isinstance(answer, EmbeddingList), answer
    return answer


page = listed(limit=2)
assert page.total_count == 4, page
assert [found.text_id for found in page.embeddings] == ["light blue/2", "orange"], page
rest = listed(after="orange")
assert [(found.text_id, found.text, found.vector) for found in rest.embeddings] == [
    ("red", "Red", [1, 0, 0]),
    ("violet", UNSET, [1, 0, 1]),
], rest

# The generator does not know the media types of files: their bytes are in content.
parquet = export_project.sync_detailed(handle, project, client=client, format_="parquet")
assert parquet.status_code == 200 and parquet.content[:4] == b"PAR1", parquet

# It leaves out the import, for the same reason.
file = export_project.sync_detailed(handle, project, client=client, format_="semblance").content
imported = client.get_httpx_client().post(f"/v1/projects/{handle}/copy/import", content=file)
assert imported.status_code == 200, imported.text
copied = success(get_project.sync(handle, "copy", client=client))
assert copied.instance_id == instance.instance_id, copied

some = DeleteEmbeddings(filter_=DeleteEmbeddingsFilter.from_dict({"tone": "cold"}))
deleted = success(delete_embeddings.sync(handle, project, client=client, body=some))
assert deleted.deleted_count == 2, deleted
removed = success(delete_project.sync(handle, project, client=client))
assert f"'{handle}/{project}' deleted" in removed.message, removed
gone = get_project.sync(handle, project, client=client)
assert isinstance(gone, Problem) and gone.status == 404, gone
assert f"'{handle}/{project}' not found" in gone.detail, gone
left = success(delete_user.sync(handle, client=admin))
assert f"'{handle}' deleted" in left.message, left
message = success(delete_api_standard.sync(handle, client=admin)).message
assert f"'{handle}' deleted" in message, message
