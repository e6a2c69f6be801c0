import {
  badRequest,
  changedMeanwhile,
  conflict,
  notFound,
  type ServiceError,
  unknownStandard,
} from '../errors.ts'

/** What PostgreSQL says about a violated constraint in addition to its message. */
export interface Violation {
  /** SQLSTATE */
  readonly code: string
  readonly constraint: string
  /** Names the columns and their values, in the server's language. */
  readonly detail: string
}

type Explanation = (value: string) => ServiceError

const gone = (what: string) => `${what} not found: it was deleted by another request`

const noUser: Explanation = () => notFound(gone('User'))
const noProject: Explanation = () => notFound(gone('Project'))
const noInstance: Explanation = () => notFound(gone('LLM service instance'))

/** The answers if another request has deleted what a request refers to since it was looked up. */
const missing: Record<string, Explanation> = {
  definitions_owner_id_users_user_id_fk: noUser,
  definitions_api_standard_api_standards_api_standard_handle_fk: unknownStandard,
  instances_owner_id_users_user_id_fk: noUser,
  instances_api_standard_api_standards_api_standard_handle_fk: unknownStandard,
  instances_definition_id_definitions_definition_id_fk: () =>
    badRequest(`definition_handle: ${gone('LLM service definition')}`),
  instance_shares_instance_id_instances_instance_id_fk: noInstance,
  instance_shares_user_id_users_user_id_fk: noUser,
  user_keys_user_id_users_user_id_fk: noUser,
  key_projects_key_id_user_keys_key_id_fk: () => notFound(gone('Key')),
  key_projects_project_id_projects_project_id_fk: noProject,
  projects_owner_id_users_user_id_fk: noUser,
  projects_collection_id_collections_collection_id_fk: noProject,
  projects_instance_id_instances_instance_id_fk: () =>
    badRequest(`instance_handle: ${gone('LLM service instance')}`),
  project_shares_project_id_projects_project_id_fk: noProject,
  project_shares_user_id_users_user_id_fk: noUser,
  embeddings_collection_id_collections_collection_id_fk: noProject,
  maps_collection_id_collections_collection_id_fk: noProject,
  text_query_usage_project_id_projects_project_id_fk: noProject,
  loan_usage_instance_id_instances_instance_id_fk: noInstance,
  loan_usage_borrower_id_users_user_id_fk: noUser,
  collection_changes_collection_id_collections_collection_id_fk: noProject,
}

/** Things that can exist already. The last column of a constraint is the name that requests use. */
const taken: Record<string, string> = {
  users_user_handle_unique: 'User',
  api_standards_pkey: 'API standard',
  definitions_owner_handle: 'LLM service definition',
  instances_owner_handle: 'LLM service instance',
  user_keys_user_handle: 'Key',
  projects_owner_handle: 'Project',
  embeddings_collection_id_text_id_pk: 'Embedding',
}

/** The one column that others refer to by its value, and that cannot be deleted while they do. */
const referenced = 'api_standard_handle'

/** Says what a violated constraint means for a client, in the words of the earlier check. */
export function explainViolation({ code, constraint, detail }: Violation): ServiceError {
  const { columns = '', values = '' } =
    /\((?<columns>[\w, ]+)\)=\((?<values>[^()]*)\)/.exec(detail)?.groups ?? {}
  const value = values.split(', ').at(-1) ?? ''
  if (code === '23505') {
    const thing = taken[constraint]
    if (thing !== undefined) return conflict(`${thing} '${value}' already exists`)
  } else if (code === '23001' || columns === referenced) {
    return conflict(
      'Cannot delete API standard: referenced by LLM service instances or definitions',
    )
  } else {
    const explain = missing[constraint]
    if (explain !== undefined) return explain(value)
  }
  return changedMeanwhile()
}
