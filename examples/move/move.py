"""Copies everything from one server to another, such as from the embedded database to PostgreSQL.

    ADMIN_KEY=… NEW_ADMIN_KEY=… python move.py http://localhost:8880 http://localhost:8881

Prints the users' new keys. It may be run again: projects that are there already are left as they are.
"""
import json, os, sys
import requests


class Server(requests.Session):
    def __init__(self, url, admin_key):
        super().__init__()
        self.url = url.rstrip("/")
        self.headers["Authorization"] = f"Bearer {admin_key.strip()}"

    def request(self, method, path, **options):
        answer = super().request(method, self.url + path, **options)
        if not answer.ok:
            raise SystemExit(f"{method} {self.url}{path}: {answer.status_code} {answer.text}")
        return answer


old = Server(sys.argv[1], os.environ["ADMIN_KEY"])
new = Server(sys.argv[2], os.environ["NEW_ADMIN_KEY"])


def projects_of(server, user):
    offset = 0
    while page := server.get(f"/v1/projects/{user}?limit=200&offset={offset}").json()["projects"]:
        yield from page
        offset += len(page)


def copy_shares(path):
    for share in old.get(f"{path}/shared-with").json()["shared_with"]:
        new.post(f"{path}/share", json={"share_with_handle": share["user_handle"], "role": share["role"]})


def copy_project(path, project):
    if "instance_handle" not in project:
        return f"{path} has no instance any more and was NOT copied"
    names = {name: project[name] for name in ("instance_owner", "instance_handle")}
    file = old.get(f"{path}/export?format=semblance", stream=True)
    answer = new.post(f"{path}/import", params=names, data=file.iter_content(2**20))
    last = json.loads(answer.text.splitlines()[-1])
    if "error" in last:
        raise SystemExit(f"{path}: {last['error']['detail']}")
    new.patch(path, json={"public_read": project["public_read"]})
    copy_shares(path)
    return last["message"] + f", {last['embeddings']} embeddings"


for standard in old.get("/v1/api-standards").json()["standards"]:
    new.put(f"/v1/api-standards/{standard['api_standard_handle']}", json=standard)
users = old.get("/v1/users").json()["users"]
for user in users:
    account = new.put(f"/v1/users/{user}", json=old.get(f"/v1/users/{user}").json()).json()
    print(user, account["api_key"])
for user in users:
    for definition in old.get(f"/v1/llm-definitions/{user}").json()["definitions"]:
        new.put(f"/v1/llm-definitions/{user}/{definition['definition_handle']}", json=definition)
    for instance in old.get(f"/v1/llm-services/{user}").json()["instances"]:
        if instance["owner"] == user:
            path = f"/v1/llm-services/{user}/{instance['instance_handle']}"
            new.put(path, json=instance)
            copy_shares(path)
for user in users:
    there = {project["project_handle"] for project in projects_of(new, user)}
    for project in projects_of(old, user):
        if project["project_handle"] not in there:
            print(copy_project(f"/v1/projects/{user}/{project['project_handle']}", project))
