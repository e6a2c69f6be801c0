// Made by npm run client:generate, of the document with this SHA-256: 15bcaf71ad97375946c0be5acfcc1b5d070f063fd00625c61eb1e73bbcd041b7
export interface paths {
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the handles of all users */
        get: operations["listUsers"];
        put?: never;
        /** Register a user */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a user */
        get: operations["getUser"];
        /** Register a user, or replace name and e-mail of one */
        put: operations["putUser"];
        post?: never;
        /** Delete a user */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /** Change name or e-mail of a user */
        patch: operations["patchUser"];
        trace?: never;
    };
    "/v1/users/{user}/rotate-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue a new API key */
        post: operations["rotateUserKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the named keys of a user */
        get: operations["listNamedKeys"];
        put?: never;
        /** Issue one more key */
        post: operations["createNamedKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/keys/{key_handle}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a named key is good for */
        get: operations["getNamedKey"];
        put?: never;
        post?: never;
        /** Revoke a named key */
        delete: operations["deleteNamedKey"];
        options?: never;
        head?: never;
        /** Change description or end of a named key */
        patch: operations["patchNamedKey"];
        trace?: never;
    };
    "/v1/users/{user}/keys/{key_handle}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Issue another key in place of a named one */
        post: operations["rotateNamedKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-standards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all API standards (public) */
        get: operations["listApiStandards"];
        put?: never;
        /** Create an API standard */
        post: operations["createApiStandard"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-standards/{standard}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an API standard (public) */
        get: operations["getApiStandard"];
        /** Create or replace an API standard */
        put: operations["putApiStandard"];
        post?: never;
        /** Delete an API standard */
        delete: operations["deleteApiStandard"];
        options?: never;
        head?: never;
        /** Change an API standard */
        patch: operations["patchApiStandard"];
        trace?: never;
    };
    "/v1/llm-definitions/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the definitions of a user, or of _system */
        get: operations["listDefinitions"];
        put?: never;
        /** Create a definition */
        post: operations["createDefinition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/llm-definitions/{user}/{definition}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a definition */
        get: operations["getDefinition"];
        /** Create or replace a definition */
        put: operations["putDefinition"];
        post?: never;
        /** Delete a definition */
        delete: operations["deleteDefinition"];
        options?: never;
        head?: never;
        /** Change a definition */
        patch: operations["patchDefinition"];
        trace?: never;
    };
    "/v1/llm-services/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the instances that a user owns or has a share of */
        get: operations["listInstances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/llm-services/{user}/{instance}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an instance */
        get: operations["getInstance"];
        /** Create or replace an instance */
        put: operations["putInstance"];
        post?: never;
        /** Delete an instance */
        delete: operations["deleteInstance"];
        options?: never;
        head?: never;
        /** Change an instance */
        patch: operations["patchInstance"];
        trace?: never;
    };
    "/v1/llm-services/{user}/{instance}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Share an instance with a user */
        post: operations["shareInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/llm-services/{user}/{instance}/share/{grantee}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End the share of a user */
        delete: operations["unshareInstance"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/llm-services/{user}/{instance}/shared-with": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List whom an instance is shared with */
        get: operations["listInstanceShares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whose key this is, and which projects it may use */
        get: operations["getCaller"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the projects that the caller may read (key optional) */
        get: operations["listVisibleProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the projects of a user */
        get: operations["listProjects"];
        put?: never;
        /** Create a project */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a project (public if the project is) */
        get: operations["getProject"];
        /** Create or replace a project */
        put: operations["putProject"];
        post?: never;
        /** Delete a project and all its embeddings */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /** Change a project */
        patch: operations["patchProject"];
        trace?: never;
    };
    "/v1/projects/{user}/{project}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Share a project with a user */
        post: operations["shareProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/share/{grantee}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End the share of a user */
        delete: operations["unshareProject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/shared-with": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List whom a project is shared with */
        get: operations["listProjectShares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/transfer-ownership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give a project to another user */
        post: operations["transferProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/embeddings/{user}/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the embeddings of a project (public if the project is) */
        get: operations["listEmbeddings"];
        put?: never;
        /** Upload a batch of embeddings */
        post: operations["uploadEmbeddings"];
        /** Delete all embeddings of a project */
        delete: operations["deleteAllEmbeddings"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/embeddings/{user}/{project}/{text_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an embedding (public if the project is) */
        get: operations["getEmbedding"];
        put?: never;
        post?: never;
        /** Delete an embedding */
        delete: operations["deleteEmbedding"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export the embeddings of a project (public if the project is) */
        get: operations["exportProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a project of an exported file */
        post: operations["importProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/embeddings/{user}/{project}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete some embeddings of a project */
        post: operations["deleteEmbeddings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/embeddings/{user}/{project}/missing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find which embeddings are missing or different (public if the project is) */
        post: operations["findMissingEmbeddings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the embeddings of a project (public if the project is) */
        get: operations["countEmbeddings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show how much a project holds (public if the project is) */
        get: operations["getProjectStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the metadata fields of a project (public if the project is) */
        get: operations["getProjectFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/similars/{user}/{project}/{text_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find the embeddings similar to a stored one (public if the project is) */
        get: operations["searchByTextId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/similars/{user}/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find the embeddings similar to a stored one, named in the query (public if the project is) */
        get: operations["searchByTextIdParameter"];
        put?: never;
        /** Find the embeddings similar to a vector or to words (public if the project is) */
        post: operations["searchByVector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/similars/{user}/{project}/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer many searches at once (public if the project is) */
        post: operations["searchBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/similars/{user}/{project}/neighbours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find the nearest embeddings of every embedding (public if the project is) */
        post: operations["listAllNeighbours"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{user}/{project}/map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the embeddings of a project as a map (public if the project is) */
        get: operations["getProjectMap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schemas/similarity-response.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The JSON Schema of a similarity response (public) */
        get: operations["getSimilarityResponseSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sanity-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Hold all that is stored against the rules */
        get: operations["checkSanity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Back up the embedded database */
        post: operations["backUpDatabase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process answers (public) */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the database is there as well, with its extension and all migrations (public) */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The limits of this server (public) */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures for Prometheus */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        EmbeddingInput: {
            /** @description Unique within the project. */
            text_id: string;
            /** @description Handle of the project's instance. Required in JSON, here or once beside embeddings; lines may leave it out. */
            instance_handle?: string;
            /** @description Required, unless the request says embed=true: then it is made of the text where there is none. A string is base64 of the elements as little-endian float32. */
            vector?: number[] | string;
            /** @description Declared length of the vector: the instance's dimensions. Required in JSON, here or once beside embeddings; lines may leave it out. */
            vector_dim?: number;
            /** @description The original text, at most 1 MiB in UTF-8. */
            text?: string | null;
            /** @description Any JSON object of at most 64 levels and 256 KiB. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        HeldEmbedding: {
            /** @description Unique within the project. */
            text_id: string;
            /** @description Of the embedding as the client has it. */
            sha256?: string;
        };
        Search: {
            /** @description The vector to search for; as a string it is base64 of its elements as little-endian float32. */
            vector?: number[] | string;
            /** @description The stored embedding to search for, in place of a vector. */
            text_id?: string;
            /** @description Words to search for, in place of a vector: they are sent to the provider of the project's instance, where text_queries of the project allows it. */
            text?: string;
            /** @description Number of results; 10 when neither it nor limit is given. */
            count?: number;
            /** @description Same as count; when both are given the smaller counts. */
            limit?: number;
            /** @description Results skipped; none when it is not given. */
            offset?: number;
            /** @description Only results with at least this similarity are returned; 0.5 when it is not given. */
            threshold?: number;
            /** @description Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
            filter?: {
                [key: string]: unknown;
            };
            /** @description Field of the metadata, in dot notation for nested ones (a backslash escapes a dot), such as ref.book. Documents whose field equals metadata_value are left out. */
            metadata_path?: string;
            /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
            metadata_value?: string;
            /** @description Which parts an embedding is shown with, beside its ids, vector_dim and dates: any of text, metadata and vector. */
            include?: ("text" | "metadata" | "vector")[];
            /**
             * @description How vectors are written: json (also when it is not given), as arrays of numbers, or base64, as strings of their elements as little-endian float32, exact and in less than half of the bytes.
             * @enum {string}
             */
            vector_format?: "json" | "base64";
            /** @description Field of the metadata, in dot notation. Returns the best documents for each of its values, which stands in the group of each result; limit and offset count groups. Documents without the field are one group (null), and an array is one value. Values of more than 1000 characters are shown by their beginning and SHA-256. */
            group_by?: string;
            /** @description Most results of a group, for group_by; 1 when it is not given. */
            group_size?: number;
            /** @description Also count all documents that are at least as similar as the threshold says (total_similar), which compares every vector. False when it is not given. */
            totals?: boolean;
            /** @description The share of the ten most similar that the search must find on average, where an index is used. Less than the usual 0.99 is faster; of more, what was measured for the index decides, and where it is not known to find so much, every vector is compared (in projects up to max_scan_components of /v1/limits). */
            min_recall?: number;
            /** @description Force an exact search; see the header X-Search-Mode of the answer. False when it is not given. */
            exact?: boolean;
            /** @description Also return the document that is searched for. False when it is not given. */
            include_self?: boolean;
        };
        Problem: {
            /** @description The status's name. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What is wrong, where, and what would be right. */
            detail: string;
        };
        UserWithKey: components["schemas"]["User"] & {
            /** @description Shown in this answer only; keep it safe. */
            api_key: string;
        };
        User: {
            user_handle: string;
            /** @description Full name. */
            name?: string;
            email?: string;
        };
        UserDeletion: {
            message: string;
            /** @description False with dry_run=true. */
            deleted: boolean;
            project_count: number;
            /** @description Those of these projects. */
            embedding_count: number;
            instance_count: number;
            definition_count: number;
            /** @description Shares of projects and instances that the user gave or had. */
            share_count: number;
            /** @description Projects of other users, which stay, without the instance that they used. */
            detached_project_count: number;
        };
        UserKeys: {
            /** @description At most 100. */
            keys: components["schemas"]["Key"][];
        };
        Key: {
            key_handle: string;
            description?: string;
            /**
             * @description read: reads projects, embeddings and lists, searches and exports. write: also does what changes something. Neither touches the account: its name, its keys, its deletion.
             * @enum {string}
             */
            access: "read" | "write";
            /** @description The only projects that the key reaches. Those are left out that are gone, or that the user may not read any more: with an empty list it reaches nothing. */
            projects?: string[];
            /** Format: date-time */
            expires_at?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Absent before the first use. Approximate: it may be some minutes behind.
             */
            last_used_at?: string;
        };
        IssuedKey: components["schemas"]["Key"] & {
            /** @description Shown in this answer only; keep it safe. */
            api_key: string;
        };
        NewKey: {
            key_handle: string;
            description?: string | null;
            /**
             * @description read: reads projects, embeddings and lists, searches and exports. write: also does what changes something. Neither touches the account: its name, its keys, its deletion.
             * @enum {string}
             */
            access: "read" | "write";
            /** @description The only projects that the key reaches, as owner/handle; it then reads and writes embeddings, and does not change, share or list anything else. Left out: all that the user may use. */
            projects?: string[];
            /**
             * Format: date-time
             * @description When the key stops; it never does without.
             */
            expires_at?: string | null;
        };
        KeyPatch: {
            key_handle?: string;
            description?: string | null;
            /**
             * @description read: reads projects, embeddings and lists, searches and exports. write: also does what changes something. Neither touches the account: its name, its keys, its deletion.
             * @enum {string}
             */
            access?: "read" | "write";
            projects?: string[];
            /**
             * Format: date-time
             * @description When the key stops; it never does without.
             */
            expires_at?: string | null;
        };
        Message: {
            message: string;
        };
        ApiStandard: {
            api_standard_handle: string;
            description: string;
            /**
             * @description How the key is presented to the provider.
             * @enum {string}
             */
            key_method: "auth_bearer" | "auth_apikey" | "query_param" | "none";
            /** @description Header or query parameter that carries the key; '' for key_method none. */
            key_field: string;
            /**
             * @description In whose form texts are sent to be embedded; openai where it is not given, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.
             * @enum {string}
             */
            request_format?: "openai" | "cohere" | "gemini";
        };
        Definition: {
            definition_id: number;
            definition_handle: string;
            /** @description '_system' for the global definitions. */
            owner: string;
            /** @description URL of the embedding endpoint. */
            endpoint: string;
            description?: string;
            /** @description Handle of an API standard. */
            api_standard: string;
            /** @description Model name. */
            model: string;
            /** @description Length of the vectors that the model makes. */
            dimensions: number;
            /** @description What the provider is told that a query is, such as search_query; by the request_format of the API standard where it is not given. */
            query_input_type?: string;
            /** @description What the provider is told that a stored text is, such as search_document; by the request_format of the API standard where it is not given. */
            document_input_type?: string;
            /** @description Put before queries that the service has embedded, such as 'query: '. */
            query_prefix?: string;
            /** @description Put before stored texts that the service has embedded, such as 'passage: '. */
            document_prefix?: string;
        };
        Instance: {
            instance_id: number;
            instance_handle: string;
            owner: string;
            /** @description URL of the embedding endpoint. */
            endpoint: string;
            description?: string;
            /** @description Handle of an API standard. */
            api_standard: string;
            /** @description Model name. */
            model: string;
            /** @description Length of the vectors that the model makes. */
            dimensions: number;
            /** @description What the provider is told that a query is, such as search_query; by the request_format of the API standard where it is not given. */
            query_input_type?: string;
            /** @description What the provider is told that a stored text is, such as search_document; by the request_format of the API standard where it is not given. */
            document_input_type?: string;
            /** @description Put before queries that the service has embedded, such as 'query: '. */
            query_prefix?: string;
            /** @description Put before stored texts that the service has embedded, such as 'passage: '. */
            document_prefix?: string;
            /** @description Present when the instance was built from a definition. */
            definition_id?: number;
            /** @description Whether a provider key is stored. */
            has_api_key: boolean;
        };
        InstanceInput: {
            /** @description URL of the embedding endpoint. */
            endpoint?: string;
            description?: string | null;
            /** @description Handle of an API standard. */
            api_standard?: string;
            /** @description Model name. */
            model?: string;
            /** @description Length of the vectors that the model makes. */
            dimensions?: number;
            /** @description What the provider is told that a query is, such as search_query; by the request_format of the API standard where it is not given. */
            query_input_type?: string | null;
            /** @description What the provider is told that a stored text is, such as search_document; by the request_format of the API standard where it is not given. */
            document_input_type?: string | null;
            /** @description Put before queries that the service has embedded, such as 'query: '. */
            query_prefix?: string | null;
            /** @description Put before stored texts that the service has embedded, such as 'passage: '. */
            document_prefix?: string | null;
            instance_handle?: string;
            /** @description The provider's API key. Stored encrypted, never returned. */
            api_key_encrypted?: string | null;
            definition_owner?: string;
            definition_handle?: string;
        };
        InstanceDeletion: {
            message: string;
            /** @description False with dry_run=true. */
            deleted: boolean;
            share_count: number;
        };
        InstanceShareAnswer: {
            message: string;
            instance: string;
            shared_with: string;
            /**
             * @description What the user may do. `owner` cannot be granted by sharing.
             * @enum {string}
             */
            role: "reader" | "editor";
        };
        ShareRequest: {
            share_with_handle: string;
            /**
             * @description What the user may do. `owner` cannot be granted by sharing.
             * @enum {string}
             */
            role: "reader" | "editor";
        };
        Share: {
            user_handle: string;
            /**
             * @description What the user may do. `owner` cannot be granted by sharing.
             * @enum {string}
             */
            role: "reader" | "editor";
        };
        Me: {
            /** @description Absent for the admin key. */
            user_handle?: string;
            is_admin: boolean;
            /** @description What the key is good for; absent for a user's first key. */
            key?: {
                key_handle: string;
                /** @enum {string} */
                access: "read" | "write";
                /** @description Whether it reaches some projects alone. */
                is_limited: boolean;
                /** Format: date-time */
                expires_at?: string;
            };
            projects: components["schemas"]["VisibleProject"][];
            /** @description Of all pages; absent where there are more than 10,000. */
            total_count?: number;
            limit: number;
            offset: number;
        };
        VisibleProject: components["schemas"]["Project"] & {
            /**
             * @description The caller's. Absent where only public_read, or the admin key, lets it be read.
             * @enum {string}
             */
            role?: "owner" | "editor" | "reader";
        };
        Project: components["schemas"]["WrittenProject"] & {
            /** @description The model of the instance, by which what is searched for has to be embedded. */
            model?: string;
            /** @description How many elements the vectors have, also those that are searched for. */
            dimensions?: number;
            /**
             * @description For whom texts are embedded with the key of the project's instance: nobody (off, as without it), the owner and those with a share (members), or whoever may read the project (everybody).
             * @enum {string}
             */
            text_queries: "off" | "members" | "everybody";
            /** @description How much is embedded a day (UTC) for searches, for uploads by editors, and for the owner's uploads with a named key. It and text_queries are changed with the first key; a named one can only turn text_queries off. */
            text_query_budget?: {
                /** @description Texts that are embedded; 1000 where it is not given. */
                requests?: number;
                /** @description Their characters; 200000 where it is not given. */
                characters?: number;
                /** @description Texts of one caller, or of one address without a key; 200 where it is not given. */
                caller_requests?: number;
                /** @description Their characters; 40000 where it is not given. */
                caller_characters?: number;
            };
            /** @description How many embeddings are stored. */
            embedding_count: number;
            /** Format: date-time */
            created_at: string;
        };
        WrittenProject: {
            project_id: number;
            project_handle: string;
            owner: string;
            description?: string;
            instance_owner?: string;
            instance_handle?: string;
            /** @description Absent, as the instance's owner and handle, once that owner was deleted. */
            instance_id?: number;
            /** @description Whether reading embeddings and searching need no key. */
            public_read: boolean;
            /** @description A JSON Schema (draft-07, or 2019-09 or 2020-12 by $schema) as a string of at most 64 KiB, 32 levels and 1,000 objects and arrays; local $ref only, RE2 patterns, formats are not checked. The metadata of every uploaded embedding must satisfy it. */
            metadataScheme?: string;
        };
        VisibleProjects: {
            projects: components["schemas"]["VisibleProject"][];
            /** @description Of all pages; absent where there are more than 10,000. */
            total_count?: number;
            limit: number;
            offset: number;
        };
        ProjectList: {
            projects: (components["schemas"]["Project"] & {
                /**
                 * @description With include_shared: the share.
                 * @enum {string}
                 */
                role?: "reader" | "editor";
            })[];
            total_count: number;
            limit: number;
            offset: number;
        };
        NewProject: {
            project_handle: string;
            /** @description Owner of the instance. */
            instance_owner: string;
            /** @description Instance that makes the embeddings. */
            instance_handle: string;
            description?: string | null;
            /** @description Whether reading embeddings and searching need no key. */
            public_read?: boolean | null;
            /** @description A JSON Schema (draft-07, or 2019-09 or 2020-12 by $schema) as a string of at most 64 KiB, 32 levels and 1,000 objects and arrays; local $ref only, RE2 patterns, formats are not checked. The metadata of every uploaded embedding must satisfy it. */
            metadataScheme?: string | null;
            /**
             * @description For whom texts are embedded with the key of the project's instance: nobody (off, as without it), the owner and those with a share (members), or whoever may read the project (everybody).
             * @enum {string|null}
             */
            text_queries?: "off" | "members" | "everybody" | null;
            /** @description How much is embedded a day (UTC) for searches, for uploads by editors, and for the owner's uploads with a named key. It and text_queries are changed with the first key; a named one can only turn text_queries off. */
            text_query_budget?: {
                /** @description Texts that are embedded; 1000 where it is not given. */
                requests?: number;
                /** @description Their characters; 200000 where it is not given. */
                characters?: number;
                /** @description Texts of one caller, or of one address without a key; 200 where it is not given. */
                caller_requests?: number;
                /** @description Their characters; 40000 where it is not given. */
                caller_characters?: number;
            } | null;
            /** @description Whom to share the new project with. */
            shared_with?: {
                user_handle: string;
                /**
                 * @description What the user may do. `owner` cannot be granted by sharing.
                 * @enum {string}
                 */
                role: "reader" | "editor";
            }[] | null;
        };
        ProjectInput: {
            project_handle?: string;
            /** @description Owner of the instance. */
            instance_owner: string;
            /** @description Instance that makes the embeddings. */
            instance_handle: string;
            description?: string | null;
            /** @description Whether reading embeddings and searching need no key. */
            public_read?: boolean | null;
            /** @description A JSON Schema (draft-07, or 2019-09 or 2020-12 by $schema) as a string of at most 64 KiB, 32 levels and 1,000 objects and arrays; local $ref only, RE2 patterns, formats are not checked. The metadata of every uploaded embedding must satisfy it. */
            metadataScheme?: string | null;
            /**
             * @description For whom texts are embedded with the key of the project's instance: nobody (off, as without it), the owner and those with a share (members), or whoever may read the project (everybody).
             * @enum {string|null}
             */
            text_queries?: "off" | "members" | "everybody" | null;
            /** @description How much is embedded a day (UTC) for searches, for uploads by editors, and for the owner's uploads with a named key. It and text_queries are changed with the first key; a named one can only turn text_queries off. */
            text_query_budget?: {
                /** @description Texts that are embedded; 1000 where it is not given. */
                requests?: number;
                /** @description Their characters; 200000 where it is not given. */
                characters?: number;
                /** @description Texts of one caller, or of one address without a key; 200 where it is not given. */
                caller_requests?: number;
                /** @description Their characters; 40000 where it is not given. */
                caller_characters?: number;
            } | null;
            /** @description Whom to share the new project with. */
            shared_with?: {
                user_handle: string;
                /**
                 * @description What the user may do. `owner` cannot be granted by sharing.
                 * @enum {string}
                 */
                role: "reader" | "editor";
            }[] | null;
        };
        ProjectPatch: {
            project_handle?: string;
            description?: string | null;
            /** @description Whether reading embeddings and searching need no key. */
            public_read?: boolean | null;
            /** @description A JSON Schema (draft-07, or 2019-09 or 2020-12 by $schema) as a string of at most 64 KiB, 32 levels and 1,000 objects and arrays; local $ref only, RE2 patterns, formats are not checked. The metadata of every uploaded embedding must satisfy it. */
            metadataScheme?: string | null;
            /**
             * @description For whom texts are embedded with the key of the project's instance: nobody (off, as without it), the owner and those with a share (members), or whoever may read the project (everybody).
             * @enum {string|null}
             */
            text_queries?: "off" | "members" | "everybody" | null;
            /** @description How much is embedded a day (UTC) for searches, for uploads by editors, and for the owner's uploads with a named key. It and text_queries are changed with the first key; a named one can only turn text_queries off. */
            text_query_budget?: {
                /** @description Texts that are embedded; 1000 where it is not given. */
                requests?: number;
                /** @description Their characters; 200000 where it is not given. */
                characters?: number;
                /** @description Texts of one caller, or of one address without a key; 200 where it is not given. */
                caller_requests?: number;
                /** @description Their characters; 40000 where it is not given. */
                caller_characters?: number;
            } | null;
        };
        ProjectDeletion: {
            message: string;
            /** @description False with dry_run=true. */
            deleted: boolean;
            embedding_count: number;
            share_count: number;
        };
        ProjectShareAnswer: {
            message: string;
            project: string;
            shared_with: string;
            /**
             * @description What the user may do. `owner` cannot be granted by sharing.
             * @enum {string}
             */
            role: "reader" | "editor";
        };
        EmbeddingList: {
            embeddings: components["schemas"]["Embedding"][];
            total_count: number;
            limit: number;
            offset: number;
            /** @description As it was asked for. */
            after?: string;
        };
        Embedding: {
            text_id: string;
            /** @description The project's owner. */
            user_handle: string;
            project_handle: string;
            instance_handle?: string;
            /** @description float32 values, each as the shortest decimal that reads back to it; or, with vector_format=base64, the elements as little-endian float32 in base64. Absent where include leaves it out. */
            vector?: number[] | string;
            /** @description The length of the vector. */
            vector_dim: number;
            text?: string;
            metadata?: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
        };
        SingleEmbedding: components["schemas"]["Embedding"] & {
            project_id: number;
        };
        UploadAnswer: {
            message: string;
            /** @description The text_ids that are new. */
            uploaded: string[];
            /** @description With on_conflict skip or replace, as the next two: those that differed. */
            replaced?: string[];
            /** @description Those that were there already, with on_conflict=skip. */
            skipped?: string[];
            /** @description Those that were there already and the same, with on_conflict=replace. */
            unchanged?: string[];
            /** @description Fields of items that mean nothing here, and were not stored: up to 20 names. */
            ignored?: string[];
        };
        Upload: {
            /** @description Of all items that have none of their own. */
            instance_handle?: string;
            /** @description Of all items that have none of their own. */
            vector_dim?: number;
            /** @description As embed in the URL. */
            embed?: boolean;
            embeddings: components["schemas"]["EmbeddingInput"][];
        };
        DeleteAnswer: {
            message: string;
            /** @description How many are there of those that are meant. */
            matched_count: number;
            /** @description The same; 0 with dry_run=true. */
            deleted_count: number;
            /** @description Those of text_ids that are not there. Absent with a filter. */
            not_found?: string[];
        };
        DeleteEmbeddings: {
            /** @description The embeddings to delete. Those that are not there are reported. */
            text_ids?: string[];
            /** @description Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
            filter?: {
                [key: string]: unknown;
            };
        };
        MissingAnswer: {
            /** @description The text_ids that are not there. */
            missing: string[];
            missing_count: number;
            /** @description The text_ids that are there with another digest. */
            different: string[];
            different_count: number;
        };
        HeldEmbeddings: {
            items: components["schemas"]["HeldEmbedding"][];
        };
        CountAnswer: {
            count: number;
        };
        ProjectStatistics: {
            user_handle: string;
            project_handle: string;
            /** @description How many embeddings there are, exactly. */
            total_count: number;
            /** @description Of the vectors; before the first one, those of the instance. */
            dimensions?: number;
            /** @description As the database stores them, without its indexes and what it keeps of each row besides: of vectors 4 bytes an element and 8, of texts their UTF-8, of metadata their compressed form. */
            bytes: {
                vectors: number;
                texts: number;
                metadata: number;
                total: number;
            };
            /** @description The index of the database that searches use. Absent where they need none; the embedded database searches in memory. */
            index?: {
                /**
                 * @description An HNSW index over half-precision elements, or over their signs.
                 * @enum {string}
                 */
                kind: "halfvec_l2" | "halfvec" | "bit";
                /** @description Recall@10 as it was measured on vectors of the project. Absent before. */
                recall?: number;
            };
            /**
             * Format: date-time
             * @description Of the embeddings that are there; when sampled, of those looked at.
             */
            first_upload?: string;
            /**
             * Format: date-time
             * @description When embeddings were last added.
             */
            last_upload?: string;
            /** @description Whether the bytes of texts and metadata and first_upload are estimated from a sample: in projects of more than 100,000 embeddings, from that many of them. */
            sampled: boolean;
        };
        ProjectFields: {
            user_handle: string;
            project_handle: string;
            /** @description How many embeddings there are. */
            total_count: number;
            /** @description How many of them were looked at. */
            documents: number;
            /** @description Whether these are not all. */
            sampled: boolean;
            /** @description Those that most documents have first: at most 200. */
            fields: {
                /** @description As filters name the field. */
                path: string;
                /** @description How many of those looked at have it. */
                documents: number;
                /** @description The same as a share of them. */
                share: number;
                /** @description How many have it as string, number, boolean, null, object or array. */
                types: {
                    [key: string]: number;
                };
                /** @description Of arrays, how many have elements of a type. */
                element_types?: {
                    [key: string]: number;
                };
                /** @description The most frequent strings, numbers and booleans, also as elements of arrays, with how many documents have them: at most 20. Strings of more than 200 characters are left out. */
                values: {
                    value: string | number | boolean;
                    count: number;
                }[];
                /** @description Whether there are values that are not listed. Of a field with more than 1,000 different ones, those that come later are not counted. */
                more_values: boolean;
            }[];
            /** @description Whether there are others, or such as no filter can name. */
            more_fields: boolean;
        };
        SimilarityResponse: {
            /**
             * Format: uri
             * @description Where the JSON Schema of this answer is.
             */
            $schema: string;
            /** @description The project's owner. */
            user_handle: string;
            project_handle: string;
            /** @description With totals: how many documents are at least as similar as the threshold says. */
            total_similar?: number;
            results: components["schemas"]["SearchResult"][];
        };
        SearchResult: {
            /** @description The text_id. */
            id: string;
            /** @description Cosine similarity. */
            similarity: number;
            /** @description With group_by: the value of that field, of any type; null for documents without it. Of a value of more than 1000 characters of JSON the first 100, its length and its SHA-256, as a string. */
            group?: unknown;
            text?: string;
            metadata?: {
                [key: string]: unknown;
            };
            /** @description As vector_format says. */
            vector?: number[] | string;
        };
        SearchBatchAnswer: {
            /** @description The project's owner. */
            user_handle: string;
            project_handle: string;
            /** @description One for each search, in their order. */
            answers: (components["schemas"]["BatchedAnswer"] | components["schemas"]["BatchedError"])[];
        };
        BatchedAnswer: {
            /**
             * @description As the header X-Search-Mode.
             * @enum {string}
             */
            mode: "exact" | "approximate";
            /** @description As the header X-Search-Hidden. */
            hidden?: number;
            /** @description As the header X-Search-Note. */
            note?: string;
            /** @description With totals: how many documents are at least as similar as the threshold says. */
            total_similar?: number;
            results: components["schemas"]["SearchResult"][];
        };
        BatchedError: {
            error: components["schemas"]["Problem"];
        };
        SearchBatch: {
            searches: (components["schemas"]["Search"] | unknown)[];
        };
        NeighboursRequest: {
            /** @description Neighbours of each embedding at most; 10 when it is not given. */
            k?: number;
            /** @description Only neighbours with at least this similarity count; 0.5 when it is not given. */
            threshold?: number;
            /** @description Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
            filter?: {
                [key: string]: unknown;
            };
            /** @description A metadata path in dot notation: only embeddings with another JSON value there are neighbours. One without a value differs from all that have one, and not from others without. */
            different?: string;
            /** @description Only the embeddings behind this text_id get a line, in byte order: goes on where an answer broke off. */
            after?: string;
            /** @description Refuse rather than answer approximately, where the project is large. False when it is not given. */
            exact?: boolean;
        };
        ProjectMap: {
            user_handle: string;
            project_handle: string;
            /** @enum {string} */
            status: "ready";
            /** @description Of the project, which counts up whenever embeddings are added, replaced or deleted; it begins anew when all are deleted at once. */
            current_revision: number;
            /** @description Of the project when this map was computed; less than current_revision while it is not up to date. Absent where there are no embeddings. */
            revision?: number;
            /** Format: date-time */
            computed_at?: string;
            /** @description In byte order. */
            text_ids: string[];
            /** @description Between -1 and 1, for each of text_ids; as base64 little-endian float32. */
            x: number[] | string;
            /** @description At the same scale as x. */
            y: number[] | string;
            fields: {
                /** @description As it was asked for. */
                path: string;
                /** @description The different values, in the order in which they are met. */
                values: (string | number | boolean)[];
                /** @description For each of text_ids which of the values it has; -1 where it has none, or a list, an object, or more than 800 bytes. As base64 little-endian int32. */
                indexes: number[] | string;
                /** @description Whether there are others, beyond 8 MiB of them, which count as none. */
                more_values: boolean;
            }[];
            /** @description Of text_ids. */
            count: number;
            /** @description Embeddings of the project that have come since, and are not on the map. */
            missing_count: number;
            /** @description Embeddings that were on the map and have been deleted since; they are left out. */
            gone_count: number;
        };
        ProjectMapProgress: {
            user_handle: string;
            project_handle: string;
            /**
             * @description waiting while maps of other projects are computed first.
             * @enum {string}
             */
            status: "waiting" | "computing";
            /** @description Of the computation, 0 to 1. */
            progress: number;
            /** @description Of the project, which counts up whenever embeddings are added, replaced or deleted; it begins anew when all are deleted at once. */
            current_revision: number;
        };
        SanityReport: {
            /**
             * @description FAILED: stored data contradict each other (vector-dimensions, instance-dimensions, recorded-size, metadata-scheme). WARNING: there are other issues. PASSED: there are none.
             * @enum {string}
             */
            status: "PASSED" | "WARNING" | "FAILED";
            /** @description How much was read; metadata: of projects with a metadataScheme. */
            checked: {
                projects: number;
                embeddings: number;
                schemes: number;
                metadata: number;
            };
            /** @description All issues, listed or not. */
            issue_count: number;
            /** @description All issues by type; a type without any is absent. */
            issue_counts: {
                [key: string]: number;
            };
            /** @description The first of them, failures before warnings. */
            issues: components["schemas"]["SanityIssue"][];
            /** @description The search indexes that large projects have, or should have and have not (yet): missing. */
            indexes: components["schemas"]["SanityIndex"][];
            /** @description By vectors × dimensions, as recorded; 100 of each at most. */
            largest: {
                users: {
                    user_handle: string;
                    project_count: number;
                    embedding_count: number;
                    /** @description Of the vectors, by their number and dimensions; texts, metadata and indexes come on top. */
                    estimated_bytes: number;
                }[];
                projects: {
                    owner: string;
                    project_handle: string;
                    /** @description 0 before the first embedding. */
                    dimensions: number;
                    embedding_count: number;
                    /** @description Of the vectors, by their number and dimensions; texts, metadata and indexes come on top. */
                    estimated_bytes: number;
                }[];
            };
        };
        SanityIssue: {
            /**
             * @description vector-dimensions: vector_dim is not the length of the vector. instance-dimensions: the vector has not as many elements as the instance has dimensions. recorded-size: the number or dimensions recorded for a project are not those of its embeddings. metadata-scheme: the scheme of the project is no longer valid, so that nothing can be uploaded. metadata: does not satisfy the scheme, which may have been set later. metadata-unchecked: the scheme costs too much time. index-missing, index-broken: searches of this large project are exact, and slow.
             * @enum {string}
             */
            type: "vector-dimensions" | "instance-dimensions" | "recorded-size" | "metadata-scheme" | "metadata" | "metadata-unchecked" | "index-missing" | "index-broken";
            project: {
                owner: string;
                project_handle: string;
            };
            text_id?: string;
            detail: string;
        };
        SanityIndex: {
            project: {
                owner: string;
                project_handle: string;
            };
            /** @enum {string} */
            kind: "halfvec_l2" | "halfvec" | "bit";
            dimensions: number;
            /** @enum {string} */
            state: "valid" | "building" | "broken" | "missing";
            /** @description Its size in the database. */
            bytes: number;
            /** @description The share of the ten nearest that usual searches find, measured on vectors of the project at the effort that such searches take; absent before that, and on the embedded database. */
            recall?: {
                recall: number;
                /** @description With a confidence of 95%. */
                at_least: number;
                ef_search: number;
                /** @description How many are compared by their float32 vectors. */
                candidates: number;
                /** @description How many stored vectors were searched for. */
                sample: number;
                /** @description How many the index had then. */
                vectors: number;
            };
        };
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        Readiness: {
            /** @enum {string} */
            status: "ok";
            /** @description What makes searches slower than they could be, if anything does. */
            notes?: string[];
        };
        Limits: {
            /** @description Of an upload of embeddings, after decompression. */
            max_body_bytes: number;
            /** @description Of every other request, after decompression. */
            max_other_body_bytes: number;
            /** @description Of all requests that are being read and handled, of which one user has half at most and all callers without a key a quarter together; above it 503 with Retry-After. */
            max_body_bytes_in_flight: number;
            /** @description A body that falls 10 seconds behind is answered 408. */
            min_body_bytes_per_second: number;
            /** @description Members of objects, elements of arrays, objects and arrays in a body, the items of an upload or of a batch of searches aside. */
            max_values: number;
            /** @description The same of one item or line, its vector aside. */
            max_item_values: number;
            /** @description Of request bodies. */
            content_encodings: string[];
            /** @description 100 to 1000 are a good size; lines may be any number. */
            max_embeddings_per_upload: number;
            max_dimensions: number;
            max_text_id_characters: number;
            /** @description In UTF-8. */
            max_text_bytes: number;
            max_metadata_bytes: number;
            max_metadata_depth: number;
            max_metadata_scheme_bytes: number;
            /** @description Of a page, and of the results of a search. */
            default_limit: number;
            max_limit: number;
            max_offset: number;
            /** @description Vectors × dimensions of a project above which a page of a search that its index cannot fill is answered shorter; with exact=true every project is searched in full. */
            max_scan_components: number;
            max_filter_depth: number;
            max_filter_conditions: number;
            /** @description Of which few may be for metadata. */
            max_filter_values: number;
            max_filter_metadata_values: number;
            /** @description Of all texts among the values. */
            max_filter_characters: number;
            max_searches_per_batch: number;
            /** @description Vectors × dimensions up to which all neighbours are found by comparing all with all; the next is the same in vectors. */
            max_neighbours_components: number;
            max_neighbours_embeddings: number;
            /** @description Up to which a project has a map. */
            max_map_embeddings: number;
            /** @description With one user's key; above it 429 with Retry-After. Absent without a limit. */
            requests_per_minute?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Names the request in the log: the X-Request-Id that the client sent if it is usable, else a new one. */
        RequestId: string;
        /** @description After so many seconds another try can succeed. */
        RetryAfter: number;
        /** @description The path of what was created. */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The handles, in byte order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        users: string[];
                    };
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Full name. */
                    name?: string | null;
                    email?: string | null;
                    user_handle: string;
                };
            };
        };
        responses: {
            /** @description The user was registered */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithKey"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    putUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Full name. */
                    name?: string | null;
                    email?: string | null;
                    user_handle?: string;
                };
            };
        };
        responses: {
            /** @description The user was changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithKey"];
                };
            };
            /** @description The user was registered */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithKey"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: {
                /** @description Only count what would go with it; nothing is deleted. False when it is not given. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is gone, or with dry_run=true what would go is counted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDeletion"];
                };
            };
        };
    };
    patchUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Full name. */
                    name?: string | null;
                    email?: string | null;
                    user_handle?: string;
                };
            };
        };
        responses: {
            /** @description The changed user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    rotateUserKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user with the new key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithKey"];
                };
            };
        };
    };
    listNamedKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserKeys"];
                };
            };
        };
    };
    createNamedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description The key was issued */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
        };
    };
    getNamedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                key_handle: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    deleteNamedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                key_handle: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    patchNamedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                key_handle: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyPatch"];
            };
        };
        responses: {
            /** @description The changed key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    rotateNamedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                key_handle: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
        };
    };
    listApiStandards: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The standards, by handle */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        standards: components["schemas"]["ApiStandard"][];
                    };
                };
            };
        };
    };
    createApiStandard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    api_standard_handle: string;
                    description: string;
                    /**
                     * @description How the key is presented to the provider.
                     * @enum {string}
                     */
                    key_method: "auth_bearer" | "auth_apikey" | "query_param" | "none";
                    /** @description Header or query parameter that carries the key; '' for key_method none. */
                    key_field: string;
                    /**
                     * @description In whose form texts are sent to be embedded; openai where it is not given, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.
                     * @enum {string|null}
                     */
                    request_format?: "openai" | "cohere" | "gemini" | null;
                };
            };
        };
        responses: {
            /** @description The created standard */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiStandard"];
                };
            };
        };
    };
    getApiStandard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                standard: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The standard */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiStandard"];
                };
            };
        };
    };
    putApiStandard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                standard: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    api_standard_handle?: string;
                    description: string;
                    /**
                     * @description How the key is presented to the provider.
                     * @enum {string}
                     */
                    key_method: "auth_bearer" | "auth_apikey" | "query_param" | "none";
                    /** @description Header or query parameter that carries the key; '' for key_method none. */
                    key_field: string;
                    /**
                     * @description In whose form texts are sent to be embedded; openai where it is not given, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.
                     * @enum {string|null}
                     */
                    request_format?: "openai" | "cohere" | "gemini" | null;
                };
            };
        };
        responses: {
            /** @description The replaced standard */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiStandard"];
                };
            };
            /** @description The created standard */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiStandard"];
                };
            };
        };
    };
    deleteApiStandard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                standard: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The standard is gone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    patchApiStandard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                standard: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    api_standard_handle?: string;
                    description?: string;
                    /**
                     * @description How the key is presented to the provider.
                     * @enum {string}
                     */
                    key_method?: "auth_bearer" | "auth_apikey" | "query_param" | "none";
                    /** @description Header or query parameter that carries the key; '' for key_method none. */
                    key_field?: string;
                    /**
                     * @description In whose form texts are sent to be embedded; openai where it is not given, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.
                     * @enum {string|null}
                     */
                    request_format?: "openai" | "cohere" | "gemini" | null;
                };
            };
        };
        responses: {
            /** @description The changed standard */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiStandard"];
                };
            };
        };
    };
    listDefinitions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definitions, by handle */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        definitions: components["schemas"]["Definition"][];
                    };
                };
            };
        };
    };
    createDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description URL of the embedding endpoint. */
                    endpoint: string;
                    description?: string | null;
                    /** @description Handle of an API standard. */
                    api_standard: string;
                    /** @description Model name. */
                    model: string;
                    /** @description Length of the vectors that the model makes. */
                    dimensions: number;
                    /** @description What the provider is told that a query is, such as search_query; by the request_format of the API standard where it is not given. */
                    query_input_type?: string | null;
                    /** @description What the provider is told that a stored text is, such as search_document; by the request_format of the API standard where it is not given. */
                    document_input_type?: string | null;
                    /** @description Put before queries that the service has embedded, such as 'query: '. */
                    query_prefix?: string | null;
                    /** @description Put before stored texts that the service has embedded, such as 'passage: '. */
                    document_prefix?: string | null;
                    definition_handle: string;
                };
            };
        };
        responses: {
            /** @description The created definition */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"];
                };
            };
        };
    };
    getDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                definition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definition */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"];
                };
            };
        };
    };
    putDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                definition: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description URL of the embedding endpoint. */
                    endpoint: string;
                    description?: string | null;
                    /** @description Handle of an API standard. */
                    api_standard: string;
                    /** @description Model name. */
                    model: string;
                    /** @description Length of the vectors that the model makes. */
                    dimensions: number;
                    /** @description What the provider is told that a query is, such as search_query; by the request_format of the API standard where it is not given. */
                    query_input_type?: string | null;
                    /** @description What the provider is told that a stored text is, such as search_document; by the request_format of the API standard where it is not given. */
                    document_input_type?: string | null;
                    /** @description Put before queries that the service has embedded, such as 'query: '. */
                    query_prefix?: string | null;
                    /** @description Put before stored texts that the service has embedded, such as 'passage: '. */
                    document_prefix?: string | null;
                    definition_handle?: string;
                };
            };
        };
        responses: {
            /** @description The replaced definition */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"];
                };
            };
            /** @description The created definition */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"];
                };
            };
        };
    };
    deleteDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                definition: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definition is gone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    patchDefinition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                definition: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description URL of the embedding endpoint. */
                    endpoint?: string;
                    description?: string | null;
                    /** @description Handle of an API standard. */
                    api_standard?: string;
                    /** @description Model name. */
                    model?: string;
                    /** @description Length of the vectors that the model makes. */
                    dimensions?: number;
                    /** @description What the provider is told that a query is, such as search_query; by the request_format of the API standard where it is not given. */
                    query_input_type?: string | null;
                    /** @description What the provider is told that a stored text is, such as search_document; by the request_format of the API standard where it is not given. */
                    document_input_type?: string | null;
                    /** @description Put before queries that the service has embedded, such as 'query: '. */
                    query_prefix?: string | null;
                    /** @description Put before stored texts that the service has embedded, such as 'passage: '. */
                    document_prefix?: string | null;
                    definition_handle?: string;
                };
            };
        };
        responses: {
            /** @description The changed definition */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Definition"];
                };
            };
        };
    };
    listInstances: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instances, by owner and handle */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        instances: components["schemas"]["Instance"][];
                        definitions?: components["schemas"]["Definition"][];
                    };
                };
            };
        };
    };
    getInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instance */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instance"];
                };
            };
        };
    };
    putInstance: {
        parameters: {
            query?: {
                /** @description Change model or endpoint although embeddings made with them are stored. False when it is not given. */
                force?: boolean;
            };
            header?: never;
            path: {
                user: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstanceInput"];
            };
        };
        responses: {
            /** @description The replaced instance */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instance"];
                };
            };
            /** @description The created instance */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instance"];
                };
            };
        };
    };
    deleteInstance: {
        parameters: {
            query?: {
                /** @description Only count what would go with it; nothing is deleted. False when it is not given. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                user: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The instance is gone, or with dry_run=true what would go is counted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceDeletion"];
                };
            };
        };
    };
    patchInstance: {
        parameters: {
            query?: {
                /** @description Change model or endpoint although embeddings made with them are stored. False when it is not given. */
                force?: boolean;
            };
            header?: never;
            path: {
                user: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description URL of the embedding endpoint. */
                    endpoint?: string;
                    description?: string | null;
                    /** @description Handle of an API standard. */
                    api_standard?: string;
                    /** @description Model name. */
                    model?: string;
                    /** @description Length of the vectors that the model makes. */
                    dimensions?: number;
                    /** @description What the provider is told that a query is, such as search_query; by the request_format of the API standard where it is not given. */
                    query_input_type?: string | null;
                    /** @description What the provider is told that a stored text is, such as search_document; by the request_format of the API standard where it is not given. */
                    document_input_type?: string | null;
                    /** @description Put before queries that the service has embedded, such as 'query: '. */
                    query_prefix?: string | null;
                    /** @description Put before stored texts that the service has embedded, such as 'passage: '. */
                    document_prefix?: string | null;
                    instance_handle?: string;
                    /** @description The provider's API key. Stored encrypted, never returned. */
                    api_key_encrypted?: string | null;
                };
            };
        };
        responses: {
            /** @description The changed instance */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instance"];
                };
            };
        };
    };
    shareInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            /** @description The role of an existing share was set */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceShareAnswer"];
                };
            };
            /** @description The instance is shared */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceShareAnswer"];
                };
            };
        };
    };
    unshareInstance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                instance: string;
                grantee: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The share is gone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        instance: string;
                        removed_user: string;
                    };
                };
            };
        };
    };
    listInstanceShares: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                instance: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shares, by user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        instance: string;
                        shared_with: components["schemas"]["Share"][];
                    };
                };
            };
        };
    };
    getCaller: {
        parameters: {
            query?: {
                /** @description Number of results; 10 when it is not given. */
                limit?: number;
                /** @description Results skipped; none when it is not given. Page N starts at (N - 1) * limit. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    listVisibleProjects: {
        parameters: {
            query?: {
                /** @description Only those that the caller owns, that are shared with the caller (both need a key), or that are public. */
                visibility?: "own" | "shared" | "public";
                /** @description Number of results; 10 when it is not given. */
                limit?: number;
                /** @description Results skipped; none when it is not given. Page N starts at (N - 1) * limit. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VisibleProjects"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description Number of results; 10 when it is not given. */
                limit?: number;
                /** @description Results skipped; none when it is not given. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Also list the projects that are shared with the user, each with its role. False when it is not given. */
                include_shared?: boolean;
            };
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects, by owner and handle */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProject"];
            };
        };
        responses: {
            /** @description The created project */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenProject"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    putProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectInput"];
            };
        };
        responses: {
            /** @description The replaced project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenProject"];
                };
            };
            /** @description The created project */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WrittenProject"];
                };
            };
        };
    };
    deleteProject: {
        parameters: {
            query?: {
                /** @description Only count what would go with it; nothing is deleted. False when it is not given. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is gone, or with dry_run=true what would go is counted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectDeletion"];
                };
            };
        };
    };
    patchProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectPatch"];
            };
        };
        responses: {
            /** @description The changed project */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    shareProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShareRequest"];
            };
        };
        responses: {
            /** @description The role of an existing share was set */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectShareAnswer"];
                };
            };
            /** @description The project is shared */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectShareAnswer"];
                };
            };
        };
    };
    unshareProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
                grantee: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The share is gone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        project: string;
                        removed_user: string;
                    };
                };
            };
        };
    };
    listProjectShares: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shares, by user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        project: string;
                        shared_with: components["schemas"]["Share"][];
                    };
                };
            };
        };
    };
    transferProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    new_owner_handle: string;
                };
            };
        };
        responses: {
            /** @description The project has a new owner */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        old_owner: string;
                        new_owner: string;
                        project_handle: string;
                        new_path: string;
                    };
                };
            };
        };
    };
    listEmbeddings: {
        parameters: {
            query?: {
                /** @description Means this one embedding, as the path with its text_id does. */
                text_id?: string;
                /** @description Number of results; 10 when it is not given. */
                limit?: number;
                /** @description Results skipped; none when it is not given. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Only embeddings whose text_id is behind this one in byte order; it need not exist. Empty for the first page. */
                after?: string;
                /** @description JSON, such as {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
                filter?: string;
                /** @description Which parts an embedding is shown with, beside its ids, vector_dim and dates: any of text, metadata and vector, with commas between them, such as text,metadata. Empty for none. Without it: all of them. */
                include?: string;
                /** @description How vectors are written: json (also when it is not given), as arrays of numbers, or base64, as strings of their elements as little-endian float32, exact and in less than half of the bytes. */
                vector_format?: string;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The embeddings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmbeddingList"] | components["schemas"]["SingleEmbedding"];
                };
            };
        };
    };
    uploadEmbeddings: {
        parameters: {
            query?: {
                /** @description What becomes of a text_id that is there already. error (also when it is not given): nothing is stored. skip: what is there stays. replace: it is deleted and uploaded again, in one transaction, unless vector, text and metadata are the same; text and metadata that are not sent are gone then, and created_at is new. */
                on_conflict?: string;
                /** @description Of lines that have none. */
                instance_handle?: string;
                /** @description Of lines that have none. */
                vector_dim?: number;
                /** @description Make the vectors of items that have a text and none, by the provider of the project's instance; its owner, and where text_queries allows it editors. It counts in text_query_budget, unless it is the owner with the first key. False when it is not given. */
                embed?: boolean;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Upload"];
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Of lines: how far it is after each transaction, and at last the sum */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description All are stored */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadAnswer"];
                };
            };
        };
    };
    deleteAllEmbeddings: {
        parameters: {
            query?: {
                /** @description Unique within the project. */
                text_id?: string;
                /** @description Only count what would be deleted. False when it is not given. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They are gone, or with dry_run=true counted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        /** @description How many are there of those that are meant. */
                        matched_count: number;
                        /** @description The same; 0 with dry_run=true. */
                        deleted_count: number;
                    };
                };
            };
        };
    };
    getEmbedding: {
        parameters: {
            query?: {
                /** @description Which parts an embedding is shown with, beside its ids, vector_dim and dates: any of text, metadata and vector, with commas between them, such as text,metadata. Empty for none. Without it: all of them. */
                include?: string;
                /** @description How vectors are written: json (also when it is not given), as arrays of numbers, or base64, as strings of their elements as little-endian float32, exact and in less than half of the bytes. */
                vector_format?: string;
            };
            header?: never;
            path: {
                user: string;
                project: string;
                text_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The embedding */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SingleEmbedding"];
                };
            };
        };
    };
    deleteEmbedding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
                text_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The embedding is gone */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Message"];
                };
            };
        };
    };
    exportProject: {
        parameters: {
            query?: {
                /** @description ndjson (also when it is not given): a line of JSON for each embedding, which the upload takes as it is. parquet: a table with text_id, text, metadata (JSON), created_at and vector (a list of float32). semblance: one file of the whole project, to be imported elsewhere. */
                format?: string;
                /** @description JSON, such as {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
                filter?: string;
                /** @description Which parts an embedding is shown with, beside its ids, vector_dim and dates: any of text, metadata and vector, with commas between them, such as text,metadata. Empty for none. Without it: all of them. */
                include?: string;
                /** @description How vectors are written: json (also when it is not given), as arrays of numbers, or base64, as strings of their elements as little-endian float32, exact and in less than half of the bytes. */
                vector_format?: string;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file; its name is in Content-Disposition */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": string;
                    "application/x-ndjson": string;
                    "application/vnd.semblance+ndjson": string;
                };
            };
        };
    };
    importProject: {
        parameters: {
            query?: {
                /** @description Owner of the instance that the project shall use; without it the owner of the project. */
                instance_owner?: string;
                /** @description Instance that the project shall use, of the file's model and dimensions. Without it one is made of what the file says, with its handle and without a key; or the one of this handle is used, if it has the same endpoint, API standard, model and dimensions. */
                instance_handle?: string;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/vnd.semblance+ndjson": string;
            };
        };
        responses: {
            /** @description How far it is, and at last the project or what was wrong */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    deleteEmbeddings: {
        parameters: {
            query?: {
                /** @description Only count what would be deleted. False when it is not given. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteEmbeddings"];
            };
        };
        responses: {
            /** @description They are gone, or with dry_run=true counted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteAnswer"];
                };
            };
        };
    };
    findMissingEmbeddings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HeldEmbeddings"];
            };
        };
        responses: {
            /** @description What is missing or different, in the order of the items */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MissingAnswer"];
                };
            };
        };
    };
    countEmbeddings: {
        parameters: {
            query?: {
                /** @description JSON, such as {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
                filter?: string;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many there are */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountAnswer"];
                };
            };
        };
    };
    getProjectStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statistics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectStatistics"];
                };
            };
        };
    };
    getProjectFields: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fields */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectFields"];
                };
            };
        };
    };
    searchByTextId: {
        parameters: {
            query?: {
                /** @description Number of results; 10 when neither it nor limit is given. */
                count?: number;
                /** @description Same as count; when both are given the smaller counts. */
                limit?: number;
                /** @description Results skipped; none when it is not given. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Only results with at least this similarity are returned; 0.5 when it is not given. */
                threshold?: number;
                /** @description JSON, such as {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
                filter?: string;
                /** @description Field of the metadata, in dot notation for nested ones (a backslash escapes a dot), such as ref.book. Documents whose field equals metadata_value are left out. */
                metadata_path?: string;
                /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
                metadata_value?: string;
                /** @description Which parts an embedding is shown with, beside its ids, vector_dim and dates: any of text, metadata and vector, with commas between them, such as text,metadata. Empty for none. Without it results have id and similarity alone. */
                include?: string;
                /** @description How vectors are written: json (also when it is not given), as arrays of numbers, or base64, as strings of their elements as little-endian float32, exact and in less than half of the bytes. */
                vector_format?: string;
                /** @description Field of the metadata, in dot notation. Returns the best documents for each of its values, which stands in the group of each result; limit and offset count groups. Documents without the field are one group (null), and an array is one value. Values of more than 1000 characters are shown by their beginning and SHA-256. */
                group_by?: string;
                /** @description Most results of a group, for group_by; 1 when it is not given. */
                group_size?: number;
                /** @description Also count all documents that are at least as similar as the threshold says (total_similar), which compares every vector. False when it is not given. */
                totals?: boolean;
                /** @description The share of the ten most similar that the search must find on average, where an index is used. Less than the usual 0.99 is faster; of more, what was measured for the index decides, and where it is not known to find so much, every vector is compared (in projects up to max_scan_components of /v1/limits). */
                min_recall?: number;
                /** @description Force an exact search; see the header X-Search-Mode of the answer. False when it is not given. */
                exact?: boolean;
                /** @description Also return the document that is searched for. False when it is not given. */
                include_self?: boolean;
            };
            header?: never;
            path: {
                user: string;
                project: string;
                text_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The most similar first; equal ones by text_id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimilarityResponse"];
                };
            };
        };
    };
    searchByTextIdParameter: {
        parameters: {
            query: {
                /** @description The stored embedding to search for. */
                text_id: string;
                /** @description Number of results; 10 when neither it nor limit is given. */
                count?: number;
                /** @description Same as count; when both are given the smaller counts. */
                limit?: number;
                /** @description Results skipped; none when it is not given. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Only results with at least this similarity are returned; 0.5 when it is not given. */
                threshold?: number;
                /** @description JSON, such as {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
                filter?: string;
                /** @description Field of the metadata, in dot notation for nested ones (a backslash escapes a dot), such as ref.book. Documents whose field equals metadata_value are left out. */
                metadata_path?: string;
                /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
                metadata_value?: string;
                /** @description Which parts an embedding is shown with, beside its ids, vector_dim and dates: any of text, metadata and vector, with commas between them, such as text,metadata. Empty for none. Without it results have id and similarity alone. */
                include?: string;
                /** @description How vectors are written: json (also when it is not given), as arrays of numbers, or base64, as strings of their elements as little-endian float32, exact and in less than half of the bytes. */
                vector_format?: string;
                /** @description Field of the metadata, in dot notation. Returns the best documents for each of its values, which stands in the group of each result; limit and offset count groups. Documents without the field are one group (null), and an array is one value. Values of more than 1000 characters are shown by their beginning and SHA-256. */
                group_by?: string;
                /** @description Most results of a group, for group_by; 1 when it is not given. */
                group_size?: number;
                /** @description Also count all documents that are at least as similar as the threshold says (total_similar), which compares every vector. False when it is not given. */
                totals?: boolean;
                /** @description The share of the ten most similar that the search must find on average, where an index is used. Less than the usual 0.99 is faster; of more, what was measured for the index decides, and where it is not known to find so much, every vector is compared (in projects up to max_scan_components of /v1/limits). */
                min_recall?: number;
                /** @description Force an exact search; see the header X-Search-Mode of the answer. False when it is not given. */
                exact?: boolean;
                /** @description Also return the document that is searched for. False when it is not given. */
                include_self?: boolean;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The most similar first; equal ones by text_id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimilarityResponse"];
                };
            };
        };
    };
    searchByVector: {
        parameters: {
            query?: {
                /** @description Number of results; 10 when neither it nor limit is given. */
                count?: number;
                /** @description Same as count; when both are given the smaller counts. */
                limit?: number;
                /** @description Results skipped; none when it is not given. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Only results with at least this similarity are returned; 0.5 when it is not given. */
                threshold?: number;
                /** @description JSON, such as {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. Which embeddings are meant: {"field": value} or {"field": {"$operator": value}}, all of several; fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at. Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not. Values are compared with their types: 1 is not "1". Of an array in the metadata, one element that fits is enough. At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata. */
                filter?: string;
                /** @description Field of the metadata, in dot notation for nested ones (a backslash escapes a dot), such as ref.book. Documents whose field equals metadata_value are left out. */
                metadata_path?: string;
                /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
                metadata_value?: string;
                /** @description Which parts an embedding is shown with, beside its ids, vector_dim and dates: any of text, metadata and vector, with commas between them, such as text,metadata. Empty for none. Without it results have id and similarity alone. */
                include?: string;
                /** @description How vectors are written: json (also when it is not given), as arrays of numbers, or base64, as strings of their elements as little-endian float32, exact and in less than half of the bytes. */
                vector_format?: string;
                /** @description Field of the metadata, in dot notation. Returns the best documents for each of its values, which stands in the group of each result; limit and offset count groups. Documents without the field are one group (null), and an array is one value. Values of more than 1000 characters are shown by their beginning and SHA-256. */
                group_by?: string;
                /** @description Most results of a group, for group_by; 1 when it is not given. */
                group_size?: number;
                /** @description Also count all documents that are at least as similar as the threshold says (total_similar), which compares every vector. False when it is not given. */
                totals?: boolean;
                /** @description The share of the ten most similar that the search must find on average, where an index is used. Less than the usual 0.99 is faster; of more, what was measured for the index decides, and where it is not known to find so much, every vector is compared (in projects up to max_scan_components of /v1/limits). */
                min_recall?: number;
                /** @description Force an exact search; see the header X-Search-Mode of the answer. False when it is not given. */
                exact?: boolean;
                /** @description Also return the document that is searched for. False when it is not given. */
                include_self?: boolean;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Search"];
            };
        };
        responses: {
            /** @description The most similar first; equal ones by text_id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimilarityResponse"];
                };
            };
        };
    };
    searchBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchBatch"];
            };
        };
        responses: {
            /** @description An answer for each search */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchBatchAnswer"];
                };
            };
        };
    };
    listAllNeighbours: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NeighboursRequest"];
            };
        };
        responses: {
            /** @description Lines of JSON */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    getProjectMap: {
        parameters: {
            query?: {
                /** @description Up to 3 metadata paths in dot notation with commas between them, such as ref.book,year, to colour the points by. A backslash escapes a dot or a comma of a name. */
                fields?: string;
                /** @description json (also when it is not given): one object with a list for each column. parquet: a table with text_id, x and y (float32), and a column metadata.PATH for each field, values as texts; the revision is in its key-value metadata. */
                format?: string;
                /** @description How JSON has x, y and indexes: json (also when it is not given), as lists of numbers, coordinates rounded to 5 digits behind the point; or base64, as strings of little-endian float32, and of int32 for indexes. */
                number_format?: string;
                /** @description Only a map of this revision of the project, or of a later one, will do: 202 until there is one. One that is yet to come counts as the present one. */
                min_revision?: number;
            };
            header?: never;
            path: {
                user: string;
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The map */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectMap"];
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description It is being computed */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectMapProgress"];
                };
            };
        };
    };
    getSimilarityResponseSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A JSON Schema (2020-12) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/schema+json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    checkSanity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SanityReport"];
                };
            };
        };
    };
    backUpDatabase: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archive; RESTORE.txt in it says how it is restored */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": string;
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics in the text format, version 0.0.4 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
}
