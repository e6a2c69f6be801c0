"""Uses what openapi-generator makes of the document for Python. Run by .ci/clients."""

import os
from math import isclose, sqrt

from openapi_client import (
    ApiClient,
    ApiException,
    ApiStandard,
    APIStandardsApi,
    BatchedAnswer,
    BatchedError,
    Configuration,
    CreateApiStandardRequest,
    CreateUserRequest,
    DeleteEmbeddings,
    EmbeddingInput,
    EmbeddingInputVector,
    EmbeddingList,
    EmbeddingsApi,
    EmbeddingVector,
    InstanceInput,
    LLMServiceInstancesApi,
    NewProject,
    ProjectsApi,
    Search,
    SearchBatch,
    SearchResultVector,
    SearchVector,
    SimilaritySearchApi,
    Upload,
    UploadAnswer,
    UsersApi,
)

handle = "openapi-generator"
project = "colours"


def client_of(key: str) -> ApiClient:
    return ApiClient(Configuration(host=os.environ["SEMBLANCE_URL"], access_token=key))


def item(text_id: str, vector: list[float] | str, tone: str, text: str | None = None) -> EmbeddingInput:
    return EmbeddingInput(
        text_id=text_id, vector=EmbeddingInputVector(vector), metadata={"tone": tone}, text=text
    )


def numbers(vector: EmbeddingVector | SearchResultVector | None) -> object:
    assert vector is not None
    return vector.actual_instance


admin = client_of(os.environ["SEMBLANCE_ADMIN_KEY"])
new_user = CreateUserRequest(user_handle=handle, name="Gen", email="gen@example.org")
user = UsersApi(admin).create_user(new_user)
assert (user.user_handle, user.name, user.email) == (handle, "Gen", "gen@example.org"), user
client = client_of(user.api_key)
embeddings, projects = EmbeddingsApi(client), ProjectsApi(client)
similars = SimilaritySearchApi(client)

new_standard = CreateApiStandardRequest(
    api_standard_handle=handle,
    description="A key in a header",
    key_method="auth_apikey",
    key_field="X-API-Key",
)
standard = APIStandardsApi(admin).create_api_standard(new_standard)
assert standard == ApiStandard.from_dict(new_standard.to_dict()), standard

new_instance = InstanceInput(
    endpoint="https://provider.example/v1/embeddings",
    api_standard=handle,
    model="tiny",
    dimensions=3,
    api_key_encrypted="the-key-of-a-provider",
)
instance = LLMServiceInstancesApi(client).put_instance(handle, "tiny", new_instance)
assert (instance.owner, instance.dimensions, instance.has_api_key) == (handle, 3, True), instance

new_project = NewProject(project_handle=project, instance_owner=handle, instance_handle="tiny")
made = projects.create_project(handle, new_project)
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
# Declared as str, as which the lines of the other media type would come.
uploaded: object = embeddings.upload_embeddings(handle, project, upload)
assert isinstance(uploaded, UploadAnswer), uploaded
assert uploaded.uploaded == ["red", "orange", "violet", "light blue/2"], uploaded

of_stored = similars.search_by_text_id(handle, project, "light blue/2", limit=2, threshold=0.1)
assert [result.id for result in of_stored.results] == ["violet"], of_stored
assert isclose(of_stored.results[0].similarity, sqrt(0.5), abs_tol=1e-6), of_stored

by_filter = Search(
    vector=SearchVector([1, 0.4, 0]),
    filter={"tone": {"$in": ["warm"]}},
    include=["metadata", "vector"],
)
filtered = similars.search_by_vector(handle, project, by_filter)
assert [(result.id, result.metadata, numbers(result.vector)) for result in filtered.results] == [
    ("orange", {"tone": "warm"}, [1, 0.5, 0]),
    ("red", {"tone": "warm"}, [1, 0, 0]),
], filtered
assert isclose(filtered.results[0].similarity, 0.9965458, abs_tol=1e-6), filtered

in_groups = Search(vector=SearchVector([1, 0.4, 0]), threshold=0, group_by="tone", group_size=2)
grouped = similars.search_by_vector(handle, project, in_groups)
assert [(result.id, result.group) for result in grouped.results] == [
    ("orange", "warm"),
    ("red", "warm"),
    ("violet", "cold"),
    ("light blue/2", "cold"),
], grouped

batch = SearchBatch(searches=[Search(vector=SearchVector([0, 0, 1]), limit=1), Search(text_id="green")])
answers = similars.search_batch(handle, project, batch).answers
first, second = [answer.actual_instance for answer in answers]
assert isinstance(first, BatchedAnswer) and isinstance(second, BatchedError), answers
assert (first.mode, first.results[0].id) == ("exact", "light blue/2"), first
assert second.error.status == 404, second


def listed(limit: int | None = None, after: str | None = None) -> EmbeddingList:
    answer = embeddings.list_embeddings(handle, project, limit=limit, after=after).actual_instance
    assert isinstance(answer, EmbeddingList), answer
    return answer


page = listed(limit=2)
assert page.total_count == 4, page
assert [found.text_id for found in page.embeddings] == ["light blue/2", "orange"], page
rest = listed(after="orange")
assert [(found.text_id, found.text, numbers(found.vector)) for found in rest.embeddings] == [
    ("red", "Red", [1, 0, 0]),
    ("violet", None, [1, 0, 1]),
], rest

file = projects.export_project(handle, project, format="semblance").decode()
# Lines are text: the generated client would send them as one string of JSON, and refuses to read them.
lines = projects.import_project_without_preload_content(
    handle, "copy", file, _content_type="text/plain"
).data
assert b'"embeddings":4' in lines, lines
assert projects.get_project(handle, "copy").instance_id == instance.instance_id

some = DeleteEmbeddings(filter={"tone": "cold"})
deleted = embeddings.delete_embeddings(handle, project, some)
assert deleted.deleted_count == 2, deleted
removed = projects.delete_project(handle, project)
assert f"'{handle}/{project}' deleted" in removed.message, removed
try:
    raise AssertionError(projects.get_project(handle, project))
except ApiException as error:
    assert error.status == 404 and f"'{handle}/{project}' not found" in str(error.body), error
left = UsersApi(admin).delete_user(handle)
assert f"'{handle}' deleted" in left.message, left
message = APIStandardsApi(admin).delete_api_standard(handle).message
assert f"'{handle}' deleted" in message, message
