import type { z } from '@hono/zod-openapi'
import { createdAt, createdJson, putJson } from '../http/created.ts'
import { createRouter, get, patch, post, put, remove } from '../http/operation.ts'
import { newProjectParams, projectParams, sameHandle, userParams } from '../http/path-params.ts'
import { inNamespace, onProject } from '../http/permission.ts'
import { body, json, messageJson } from '../http/schemas.ts'
import type { createProjects } from './projects.ts'
import {
  badScheme,
  exampleNewProject,
  exampleProject,
  examplePutProject,
  exampleTransfer,
  exampleWrittenProject,
  NewProject,
  ProjectPatch,
  ProjectSchema,
  PutProject,
  Transfer,
  TransferAnswer,
  WrittenProject,
} from './schemas.ts'

const params = projectParams
const errorsOfPut = {
  403: 'The namespace belongs to another user, or the instance is not shared',
  404: ['There is no such user, or none of a handle in shared_with', "User 'alice' not found"],
  ...badScheme,
} as const

const createProject = post(inNamespace('projects:write'), '/v1/projects/{user}', {
  operationId: 'createProject',
  summary: 'Create a project',
  description:
    'A project holds embeddings of one instance, which the owner of the project owns or has a share of.',
  request: { params: userParams, body: body(NewProject, exampleNewProject) },
  responses: { 201: createdJson(WrittenProject, 'The created project', exampleWrittenProject) },
  errors: { ...errorsOfPut, 409: ['The handle is taken', "Project 'alice/verses' already exists"] },
})

const getProject = get(onProject('project:read'), '/v1/projects/{user}/{project}', {
  operationId: 'getProject',
  summary: 'Show a project',
  description: 'With its instance, and the number of its embeddings.',
  request: { params },
  responses: { 200: json(ProjectSchema, 'The project', exampleProject) },
})

const putProject = put(inNamespace('projects:write'), '/v1/projects/{user}/{project}', {
  operationId: 'putProject',
  summary: 'Create or replace a project',
  description:
    "Replaces the project's own fields; embeddings and shares stay. shared_with is used only when the project is created.",
  request: { params: newProjectParams, body: body(PutProject, examplePutProject) },
  responses: putJson(WrittenProject, 'project', exampleWrittenProject),
  errors: {
    ...errorsOfPut,
    409: [
      'The embeddings do not fit the instance',
      "Cannot change the instance: the project holds embeddings of 3 dimensions, but LLM service 'large-model' has 1536",
    ],
  },
})

const patchProject = patch(onProject('project:manage'), '/v1/projects/{user}/{project}', {
  operationId: 'patchProject',
  summary: 'Change a project',
  description: 'Omitted fields stay unchanged. Stored embeddings are not validated again.',
  request: { params, body: body(ProjectPatch, { description: 'Verses of two translations' }) },
  responses: { 200: json(ProjectSchema, 'The changed project', exampleProject) },
  errors: badScheme,
})

const deleteProject = remove(onProject('project:manage'), '/v1/projects/{user}/{project}', {
  operationId: 'deleteProject',
  summary: 'Delete a project and all its embeddings',
  description: 'For the owner and the administrator. Cannot be undone.',
  request: { params },
  responses: { 200: messageJson('The project was deleted', "Project 'alice/verses' deleted") },
})

const transferProject = post(
  onProject('project:manage'),
  '/v1/projects/{user}/{project}/transfer-ownership',
  {
    operationId: 'transferProject',
    summary: 'Give a project to another user',
    description:
      "Embeddings, instance and other users' shares stay. The old owner loses all access.",
    request: { params, body: body(Transfer, { new_owner_handle: 'bob' }) },
    responses: { 200: json(TransferAnswer, 'The project has a new owner', exampleTransfer) },
    errors: {
      404: ['There is no such project or user', "Project 'alice/verses' not found"],
      409: ['The new owner has a project with this handle', "Project 'bob/verses' already exists"],
    },
  },
)

function inputOf(fields: z.output<typeof PutProject>) {
  return {
    description: fields.description ?? null,
    publicRead: fields.public_read ?? false,
    metadataScheme: fields.metadataScheme || null,
    readingOrder: fields.reading_order ?? null,
    textQueries: fields.text_queries ?? 'off',
    textQueryBudget: fields.text_query_budget ?? null,
    instance: { owner: fields.instance_owner, handle: fields.instance_handle },
    shares: (fields.shared_with ?? []).map(({ user_handle, role }) => ({
      handle: user_handle,
      role,
    })),
  }
}

const changesOf = ({ public_read, metadataScheme, ...rest }: z.output<typeof ProjectPatch>) => ({
  description: rest.description,
  publicRead: public_read === null ? false : public_read,
  metadataScheme: metadataScheme === '' ? null : metadataScheme,
  readingOrder: rest.reading_order,
  textQueries: rest.text_queries === null ? 'off' : rest.text_queries,
  textQueryBudget: rest.text_query_budget,
})

export function projectRoutes(projects: ReturnType<typeof createProjects>) {
  const router = createRouter()
  router.openapi(createProject, async (c) => {
    const { project_handle, ...fields } = c.req.valid('json')
    const { caller, owner } = c.get('granted')
    const project = await projects.create(caller, owner, project_handle, inputOf(fields))
    return c.json(project, createdAt(c, 'projects', owner.handle, project_handle))
  })
  router.openapi(getProject, (c) => c.json(projects.get(c.get('granted').project), 200))
  router.openapi(putProject, async (c) => {
    const { project_handle, ...fields } = c.req.valid('json')
    const path = c.req.valid('param')
    const handle = sameHandle('project_handle', path.project, project_handle)
    const { caller, owner } = c.get('granted')
    const { project, created } = await projects.put(caller, owner, handle, inputOf(fields))
    return c.json(project, created ? createdAt(c, 'projects', owner.handle, handle) : 200)
  })
  router.openapi(patchProject, async (c) => {
    const { caller, project } = c.get('granted')
    const { project_handle, ...fields } = c.req.valid('json')
    sameHandle('project_handle', project.handle, project_handle)
    return c.json(await projects.patch(caller, project, changesOf(fields)), 200)
  })
  router.openapi(deleteProject, async (c) => {
    const { project } = c.get('granted')
    await projects.remove(project)
    return c.json({ message: `Project '${project.owner}/${project.handle}' deleted` }, 200)
  })
  router.openapi(transferProject, async (c) => {
    const { new_owner_handle: newOwner } = c.req.valid('json')
    const { owner, handle } = c.get('granted').project
    await projects.transfer(c.get('granted').project, newOwner)
    return c.json(
      {
        message: `Project '${owner}/${handle}' transferred to '${newOwner}'`,
        old_owner: owner,
        new_owner: newOwner,
        project_handle: handle,
        new_path: `/v1/projects/${newOwner}/${handle}`,
      },
      200,
    )
  })
  return router
}
