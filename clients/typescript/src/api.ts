// Made by npm run client:generate, of the document with this SHA-256: 2371737bd8609b71e9aca08529d7f5389aa619025eff1d0982906a8c0189b6ff
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
        /** Register a user, or replace a user's name and e-mail */
        put: operations["putUser"];
        post?: never;
        /** Delete a user */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /** Change a user's name or e-mail */
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
        /** Issue another key */
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
        /** Show the rights of a named key */
        get: operations["getNamedKey"];
        put?: never;
        post?: never;
        /** Revoke a named key */
        delete: operations["deleteNamedKey"];
        options?: never;
        head?: never;
        /** Change the description or expiry of a named key */
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
        /** Replace a named key by a new one */
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
    "/v1/llm-services/{user}/{instance}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Embed one word with an instance */
        post: operations["testInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
        /** End a user's share */
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
        /** List the users that an instance is shared with */
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
        /** Show the owner of the key and the projects it may use */
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
        /** End a user's share */
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
        /** List the users that a project is shared with */
        get: operations["listProjectShares"];
        put?: never;
        post?: never;
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
        /** Create a project from an exported file */
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
        /** Show the size of a project (public if the project is) */
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
        /** Find the embeddings similar to a stored one, or texts by their words, with query parameters (public if the project is) */
        get: operations["searchByTextIdParameter"];
        put?: never;
        /** Find the embeddings similar to a vector or a text, or texts by their words (public if the project is) */
        post: operations["searchByVector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/embeddings/{user}/{project}/{text_id}/around": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what stands before and after a text (public if the project is) */
        get: operations["getAround"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/similars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search several projects at once (key optional) */
        post: operations["searchProjects"];
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
        /** Run many searches at once (public if the project is) */
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
        /** Check all stored data */
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
        /** Check that the process responds (public) */
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
        /** Check that the database is ready (public) */
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
        /** Metrics for Prometheus */
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
            /** @description Handle of the project's instance. In JSON required, here or beside embeddings. */
            instance_handle?: string;
            /** @description Required unless the request has embed=true, which makes it of the text. As a string: base64 of the elements as little-endian float32. */
            vector?: number[] | string;
            /** @description The dimensions, which must be the instance's. In JSON required, here or beside embeddings. */
            vector_dim?: number;
            /** @description The original text, at most 1 MiB in UTF-8. */
            text?: string | null;
            /** @description Any JSON object with at most 64 levels and 256 KiB. */
            metadata?: {
                [key: string]: unknown;
            } | null;
        };
        HeldEmbedding: {
            /** @description Unique within the project. */
            text_id: string;
            /** @description The digest of the client's version of the embedding. */
            sha256?: string;
        };
        Search: {
            /** @description The vector to search for. As a string: base64 of its elements as little-endian float32. */
            vector?: number[] | string;
            /** @description The stored embedding to search for, instead of a vector. */
            text_id?: string;
            /** @description A text to search for by its meaning, instead of a vector. It is sent to the provider of the project's instance if the project's text_queries allows it. */
            text?: string;
            /**
             * @description text_ids of stored embeddings, and vectors, that results are to be like, alone or beside vector, text_id or text, which then counts as one of them.
             *
             *     - The query is the mean of their unit vectors minus the mean of those of unlike.
             *     - At most 20 in like and unlike together.
             *     - What is named by text_id is no result, unless include_self is true.
             */
            like?: (string | number[])[];
            /** @description text_ids and vectors that results are to be unlike; see like. */
            unlike?: (string | number[])[];
            /** @description Number of results. Default: limit, or else 10. */
            count?: number;
            /** @description Same as count. If both are given, the smaller one counts. */
            limit?: number;
            /** @description Number of results to skip. Default: 0. */
            offset?: number;
            /** @description Minimum similarity of results. Default: 0.5. */
            threshold?: number;
            /**
             * @description The smallest share of random pairs of the project's texts that are less similar than a result: 0.99 leaves out what is as similar as one of a hundred pairs by chance.
             *
             *     - If threshold is given too, results reach both; otherwise its default does not count.
             *     - 422 if the project has no scale (see its statistics), 503 while its vectors are being read into memory.
             *     - Words alone ignore it.
             */
            min_percentile?: number;
            /**
             * @description How different results are to be from each other. Default: 0.
             *
             *     - Of the best 10 × limit, each next one is that with the largest (1 − diversity) × similarity − diversity × (its largest similarity to one before it): maximal marginal relevance. Results are in this order.
             *     - It works without offset, group_by and words.
             *     - It needs the vectors in memory: 503 while they are being read, 422 if there is no room for them.
             */
            diversity?: number;
            /**
             * @description A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
             *
             *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
             *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
             *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
             *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
             *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
             */
            filter?: {
                [key: string]: unknown;
            };
            /** @description A metadata field in dot notation, for example ref.book (a backslash escapes a dot). Documents whose field equals metadata_value are excluded. */
            metadata_path?: string;
            /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
            metadata_value?: string;
            /** @description Which parts of an embedding to return: any of text, metadata, vector, highlights, around and percentile. Highlights are the places of the words in the text, around the texts before and after it; percentile says how many random pairs are less similar. */
            include?: ("text" | "metadata" | "vector" | "highlights" | "around" | "percentile")[];
            /**
             * @description How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long.
             * @enum {string}
             */
            vector_format?: "json" | "base64";
            /**
             * @description A metadata field in dot notation. Returns the best documents for each value of the field.
             *
             *     - Each result has its value in group. limit and offset count groups.
             *     - Documents without the field form one group (null). An array counts as one value.
             *     - Values of more than 1000 characters are shown by their beginning and SHA-256.
             */
            group_by?: string;
            /** @description Maximum number of results per group, for group_by. Default: 1. */
            group_size?: number;
            /** @description Also count all documents whose similarity reaches the threshold (total_similar). This compares every vector. With words alone: all documents that match them; with a vector, the words leave none out of this number. Default: false. */
            totals?: boolean;
            /** @description Words to find in the texts, ranked by BM25; no provider is asked. With a vector, text_id or text, both rankings are fused by reciprocal rank. "Words in quotes" must stand together, -word leaves documents out, and beginn* finds words that begin so. */
            words?: string;
            /** @description How much each ranking counts in a search by a vector and words. Default: 1 for both. */
            weights?: {
                vector?: number;
                words?: number;
            };
            /** @description The share of the ten most similar that a search must find on average. Default: 0.99. Lower values may be faster, higher ones slower: above 0.99, every vector is compared if they are not in memory (in projects up to max_scan_components of /v1/limits). */
            min_recall?: number;
            /** @description Force an exact search. See the header X-Search-Mode of the answer. Default: false. */
            exact?: boolean;
            /** @description Also return the source document itself. Default: false. */
            include_self?: boolean;
        };
        UserWithKey: components["schemas"]["User"] & {
            /** @description Shown only in this answer. Keep it safe. */
            api_key: string;
        };
        User: {
            user_handle: string;
            /** @description Full name. */
            name?: string;
            email?: string;
        };
        Message: {
            message: string;
        };
        UserKeys: {
            /** @description At most 100. */
            keys: components["schemas"]["Key"][];
        };
        Key: {
            key_handle: string;
            description?: string;
            /**
             * @description read: reads, searches and exports. write: can also change data, but neither the account nor its keys.
             * @enum {string}
             */
            access: "read" | "write";
            /** @description The only projects that the key can use, as far as the user may still read them. */
            projects?: string[];
            /** Format: date-time */
            expires_at?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Approximate, by some minutes.
             */
            last_used_at?: string;
        };
        IssuedKey: components["schemas"]["Key"] & {
            /** @description Shown only in this answer. Keep it safe. */
            api_key: string;
        };
        NewKey: {
            key_handle: string;
            description?: string | null;
            /**
             * @description read: reads, searches and exports. write: can also change data, but neither the account nor its keys.
             * @enum {string}
             */
            access: "read" | "write";
            /** @description The only projects whose embeddings the key can use, as owner/handle; it can change, share and list nothing else. If omitted: all that the user may use. */
            projects?: string[];
            /**
             * Format: date-time
             * @description When the key expires. If omitted, it never does.
             */
            expires_at?: string | null;
        };
        KeyPatch: {
            key_handle?: string;
            /**
             * @description read: reads, searches and exports. write: can also change data, but neither the account nor its keys.
             * @enum {string}
             */
            access?: "read" | "write";
            projects?: string[];
            description?: string | null;
            /**
             * Format: date-time
             * @description When the key expires. If omitted, it never does.
             */
            expires_at?: string | null;
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
             * @description The request format in which texts are sent to be embedded. Default: openai, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.
             * @enum {string}
             */
            request_format?: "openai" | "cohere" | "gemini";
        };
        Definition: {
            definition_id: number;
            definition_handle: string;
            /** @description '_system' for the global definitions. */
            owner: string;
            /** @description URL of the embedding endpoint; 'none' if vectors are uploaded and no provider is asked. */
            endpoint: string;
            description?: string;
            /** @description Handle of an API standard. */
            api_standard: string;
            /** @description Model name. */
            model: string;
            /** @description The number of dimensions of the model's vectors. */
            dimensions: number;
            /** @description Tells the provider that a text is a query, for example search_query. Default: what the request_format of the API standard uses. */
            query_input_type?: string;
            /** @description Tells the provider that a text is a stored text, for example search_document. Default: what the request_format of the API standard uses. */
            document_input_type?: string;
            /** @description Put before queries that are embedded, for example 'query: '. */
            query_prefix?: string;
            /** @description Put before stored texts that are embedded, for example 'passage: '. */
            document_prefix?: string;
        };
        Instance: {
            instance_id: number;
            instance_handle: string;
            owner: string;
            /** @description URL of the embedding endpoint; 'none' if vectors are uploaded and no provider is asked. */
            endpoint: string;
            description?: string;
            /** @description Handle of an API standard. */
            api_standard: string;
            /** @description Model name. */
            model: string;
            /** @description The number of dimensions of the model's vectors. */
            dimensions: number;
            /** @description Tells the provider that a text is a query, for example search_query. Default: what the request_format of the API standard uses. */
            query_input_type?: string;
            /** @description Tells the provider that a text is a stored text, for example search_document. Default: what the request_format of the API standard uses. */
            document_input_type?: string;
            /** @description Put before queries that are embedded, for example 'query: '. */
            query_prefix?: string;
            /** @description Put before stored texts that are embedded, for example 'passage: '. */
            document_prefix?: string;
            /** @description Present if the instance was created from a definition. */
            definition_id?: number;
            /** @description Whether a provider key is stored. */
            has_api_key: boolean;
        };
        InstanceInput: {
            /** @description URL of the embedding endpoint; 'none' if vectors are uploaded and no provider is asked. */
            endpoint?: string;
            description?: string | null;
            /** @description Handle of an API standard. */
            api_standard?: string;
            /** @description Model name. */
            model?: string;
            /** @description The number of dimensions of the model's vectors. */
            dimensions?: number;
            /** @description Tells the provider that a text is a query, for example search_query. Default: what the request_format of the API standard uses. */
            query_input_type?: string | null;
            /** @description Tells the provider that a text is a stored text, for example search_document. Default: what the request_format of the API standard uses. */
            document_input_type?: string | null;
            /** @description Put before queries that are embedded, for example 'query: '. */
            query_prefix?: string | null;
            /** @description Put before stored texts that are embedded, for example 'passage: '. */
            document_prefix?: string | null;
            instance_handle?: string;
            /** @description The provider's API key. Stored encrypted, never returned. */
            api_key_encrypted?: string | null;
            definition_owner?: string;
            definition_handle?: string;
        };
        InstanceShareAnswer: {
            message: string;
            instance: string;
            shared_with: string;
            /**
             * @description What the user may do. Sharing cannot grant `owner`.
             * @enum {string}
             */
            role: "reader" | "editor";
        };
        ShareRequest: {
            share_with_handle: string;
            /**
             * @description What the user may do. Sharing cannot grant `owner`.
             * @enum {string}
             */
            role: "reader" | "editor";
        };
        Share: {
            user_handle: string;
            /**
             * @description What the user may do. Sharing cannot grant `owner`.
             * @enum {string}
             */
            role: "reader" | "editor";
        };
        Me: {
            /** @description Absent for the administrator key. */
            user_handle?: string;
            is_admin: boolean;
            /** @description The rights of the key; absent for a user's first key. */
            key?: {
                key_handle: string;
                /** @enum {string} */
                access: "read" | "write";
                /** @description Whether the key is limited to certain projects. */
                is_limited: boolean;
                /** Format: date-time */
                expires_at?: string;
            };
            /** @description The hosts that this server may ask for embeddings, in the form of SERVICE_EMBEDDINGHOSTS. Empty if its operator allows none. */
            embedding_hosts: string[];
            projects: components["schemas"]["VisibleProject"][];
            /** @description The number on all pages; absent above 10,000. */
            total_count?: number;
            limit: number;
            offset: number;
        };
        VisibleProject: components["schemas"]["Project"] & {
            /**
             * @description The caller's role, if it is what lets the caller read the project.
             * @enum {string}
             */
            role?: "owner" | "editor" | "reader";
        };
        Project: components["schemas"]["WrittenProject"] & {
            /** @description Query vectors must come from the same model. */
            model?: string;
            /** @description Those of stored vectors and query vectors. */
            dimensions?: number;
            /** @description Whether the instance has an endpoint, so that texts can be embedded. */
            embeds_texts: boolean;
            /**
             * @description Who may have texts embedded with the key of the project's instance: nobody (off, the default), the owner and users with a share (members), or whoever may read the project (everybody).
             * @enum {string}
             */
            text_queries: "off" | "members" | "everybody";
            /** @description Limits per day (UTC) for texts embedded for searches, for uploads by editors, and for the owner's uploads with a named key. Only the first key can change text_query_budget and text_queries; a named key can only turn text_queries off. */
            text_query_budget?: {
                /** @description Embedded texts. Default: 1000. */
                requests?: number;
                /** @description Their characters. Default: 200000. */
                characters?: number;
                /** @description Texts per caller or address. Default: 200. */
                caller_requests?: number;
                /** @description Their characters. Default: 40000. */
                caller_characters?: number;
            };
            embedding_count: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Absent if there are no embeddings.
             */
            last_upload?: string;
        };
        WrittenProject: {
            project_id: number;
            project_handle: string;
            owner: string;
            description?: string;
            instance_owner?: string;
            instance_handle?: string;
            /** @description Absent if the instance's owner was deleted. */
            instance_id?: number;
            /** @description Whether anyone may read and search the embeddings without a key. */
            public_read: boolean;
            /** @description A JSON Schema (draft-07 unless $schema names 2019-09 or 2020-12) as a string, which the metadata of every uploaded embedding must satisfy. It has at most 64 KiB, 32 levels and 1,000 objects and arrays, only local $ref, patterns in RE2, and no checks of formats. */
            metadataScheme?: string;
            /** @description Metadata fields in dot notation in whose order the texts are read, such as ["ref.book", "ref.chapter", "ref.verse"]: texts that are equal in all but the last stand together, in the order of the last. Without it, the last number of the text_id decides. */
            reading_order?: string[];
        };
        VisibleProjects: {
            projects: components["schemas"]["VisibleProject"][];
            /** @description The number on all pages; absent above 10,000. */
            total_count?: number;
            limit: number;
            offset: number;
        };
        ProjectList: {
            projects: (components["schemas"]["Project"] & {
                /**
                 * @description The user's role in a shared project.
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
            instance_owner: string;
            /** @description The instance whose model makes the embeddings. */
            instance_handle: string;
            description?: string | null;
            /** @description Whether anyone may read and search the embeddings without a key. */
            public_read?: boolean | null;
            /** @description A JSON Schema (draft-07 unless $schema names 2019-09 or 2020-12) as a string, which the metadata of every uploaded embedding must satisfy. It has at most 64 KiB, 32 levels and 1,000 objects and arrays, only local $ref, patterns in RE2, and no checks of formats. */
            metadataScheme?: string | null;
            /** @description Metadata fields in dot notation in whose order the texts are read, such as ["ref.book", "ref.chapter", "ref.verse"]: texts that are equal in all but the last stand together, in the order of the last. Without it, the last number of the text_id decides. */
            reading_order?: string[] | null;
            /**
             * @description Who may have texts embedded with the key of the project's instance: nobody (off, the default), the owner and users with a share (members), or whoever may read the project (everybody).
             * @enum {string|null}
             */
            text_queries?: "off" | "members" | "everybody" | null;
            /** @description Limits per day (UTC) for texts embedded for searches, for uploads by editors, and for the owner's uploads with a named key. Only the first key can change text_query_budget and text_queries; a named key can only turn text_queries off. */
            text_query_budget?: {
                /** @description Embedded texts. Default: 1000. */
                requests?: number;
                /** @description Their characters. Default: 200000. */
                characters?: number;
                /** @description Texts per caller or address. Default: 200. */
                caller_requests?: number;
                /** @description Their characters. Default: 40000. */
                caller_characters?: number;
            } | null;
            /** @description Users to share the new project with. */
            shared_with?: {
                user_handle: string;
                /**
                 * @description What the user may do. Sharing cannot grant `owner`.
                 * @enum {string}
                 */
                role: "reader" | "editor";
            }[] | null;
        };
        ProjectInput: {
            project_handle?: string;
            instance_owner: string;
            /** @description The instance whose model makes the embeddings. */
            instance_handle: string;
            description?: string | null;
            /** @description Whether anyone may read and search the embeddings without a key. */
            public_read?: boolean | null;
            /** @description A JSON Schema (draft-07 unless $schema names 2019-09 or 2020-12) as a string, which the metadata of every uploaded embedding must satisfy. It has at most 64 KiB, 32 levels and 1,000 objects and arrays, only local $ref, patterns in RE2, and no checks of formats. */
            metadataScheme?: string | null;
            /** @description Metadata fields in dot notation in whose order the texts are read, such as ["ref.book", "ref.chapter", "ref.verse"]: texts that are equal in all but the last stand together, in the order of the last. Without it, the last number of the text_id decides. */
            reading_order?: string[] | null;
            /**
             * @description Who may have texts embedded with the key of the project's instance: nobody (off, the default), the owner and users with a share (members), or whoever may read the project (everybody).
             * @enum {string|null}
             */
            text_queries?: "off" | "members" | "everybody" | null;
            /** @description Limits per day (UTC) for texts embedded for searches, for uploads by editors, and for the owner's uploads with a named key. Only the first key can change text_query_budget and text_queries; a named key can only turn text_queries off. */
            text_query_budget?: {
                /** @description Embedded texts. Default: 1000. */
                requests?: number;
                /** @description Their characters. Default: 200000. */
                characters?: number;
                /** @description Texts per caller or address. Default: 200. */
                caller_requests?: number;
                /** @description Their characters. Default: 40000. */
                caller_characters?: number;
            } | null;
            /** @description Users to share the new project with. */
            shared_with?: {
                user_handle: string;
                /**
                 * @description What the user may do. Sharing cannot grant `owner`.
                 * @enum {string}
                 */
                role: "reader" | "editor";
            }[] | null;
        };
        ProjectPatch: {
            project_handle?: string;
            description?: string | null;
            /** @description Whether anyone may read and search the embeddings without a key. */
            public_read?: boolean | null;
            /** @description A JSON Schema (draft-07 unless $schema names 2019-09 or 2020-12) as a string, which the metadata of every uploaded embedding must satisfy. It has at most 64 KiB, 32 levels and 1,000 objects and arrays, only local $ref, patterns in RE2, and no checks of formats. */
            metadataScheme?: string | null;
            /** @description Metadata fields in dot notation in whose order the texts are read, such as ["ref.book", "ref.chapter", "ref.verse"]: texts that are equal in all but the last stand together, in the order of the last. Without it, the last number of the text_id decides. */
            reading_order?: string[] | null;
            /**
             * @description Who may have texts embedded with the key of the project's instance: nobody (off, the default), the owner and users with a share (members), or whoever may read the project (everybody).
             * @enum {string|null}
             */
            text_queries?: "off" | "members" | "everybody" | null;
            /** @description Limits per day (UTC) for texts embedded for searches, for uploads by editors, and for the owner's uploads with a named key. Only the first key can change text_query_budget and text_queries; a named key can only turn text_queries off. */
            text_query_budget?: {
                /** @description Embedded texts. Default: 1000. */
                requests?: number;
                /** @description Their characters. Default: 200000. */
                characters?: number;
                /** @description Texts per caller or address. Default: 200. */
                caller_requests?: number;
                /** @description Their characters. Default: 40000. */
                caller_characters?: number;
            } | null;
        };
        ProjectShareAnswer: {
            message: string;
            project: string;
            shared_with: string;
            /**
             * @description What the user may do. Sharing cannot grant `owner`.
             * @enum {string}
             */
            role: "reader" | "editor";
        };
        EmbeddingList: {
            embeddings: components["schemas"]["Embedding"][];
            total_count: number;
            limit: number;
            offset: number;
            after?: string;
        };
        Embedding: {
            text_id: string;
            user_handle: string;
            project_handle: string;
            instance_handle?: string;
            /** @description float32 values, each as the shortest decimal that reads back to it, or base64 of them in little-endian. */
            vector?: number[] | string;
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
            /** @description The new text_ids. */
            uploaded: string[];
            /** @description Those that existed already and differed. */
            replaced?: string[];
            /** @description With skip: those that existed already. */
            skipped?: string[];
            /** @description With replace: those that existed already, the same. */
            unchanged?: string[];
            /** @description Names of unknown fields, not stored; at most 20. */
            ignored?: string[];
        };
        Upload: {
            /** @description For items without their own. */
            instance_handle?: string;
            /** @description For items without their own. */
            vector_dim?: number;
            /** @description Same as embed in the URL. */
            embed?: boolean;
            embeddings: components["schemas"]["EmbeddingInput"][];
        };
        DeleteAnswer: {
            message: string;
            matched_count: number;
            /** @description 0 with dry_run=true. */
            deleted_count: number;
            /** @description The given text_ids that do not exist. */
            not_found?: string[];
        };
        DeleteEmbeddings: {
            /** @description The embeddings to delete. */
            text_ids?: string[];
            /**
             * @description A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
             *
             *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
             *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
             *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
             *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
             *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
             */
            filter?: {
                [key: string]: unknown;
            };
        };
        MissingAnswer: {
            /** @description The text_ids that do not exist in the project. */
            missing: string[];
            missing_count: number;
            /** @description The text_ids whose stored digest differs. */
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
            total_count: number;
            dimensions?: number;
            /** @description The size in the database, without indexes and overhead; metadata are compressed. */
            bytes: {
                vectors: number;
                texts: number;
                metadata: number;
                total: number;
            };
            /** @description The index that searches use; absent if they need none. */
            index?: {
                /**
                 * @description HNSW on half-precision elements (halfvec_l2) or their signs (bit).
                 * @enum {string}
                 */
                kind: "halfvec_l2" | "bit";
            };
            /** Format: date-time */
            first_upload?: string;
            /** Format: date-time */
            last_upload?: string;
            scale?: components["schemas"]["SimilarityScale"];
            /** @description Why there is no scale. */
            no_scale?: string;
            /** @description Whether first_upload and the sizes of texts and metadata come from a sample of 100,000 embeddings. */
            sampled: boolean;
        };
        /** @description How similar the texts are to each other, so what a similarity means here. Measured in memory when it is first asked for, and again when the number of texts has changed by half. */
        SimilarityScale: {
            /** @description Cosine similarities of 10,000 random pairs of texts: 1 % are below p1, and so on with p5, p25, p50, p75, p95, p99 and p99_9. */
            random_pairs: {
                [key: string]: number;
            };
            /** @description The same of 200 texts, each to the text nearest to it. */
            nearest: {
                [key: string]: number;
            };
            /** @description How many texts there were when it was measured. */
            texts: number;
            /** @description The revision of the project then. */
            revision: number;
            /** Format: date-time */
            measured_at: string;
        };
        ProjectFields: {
            user_handle: string;
            project_handle: string;
            total_count: number;
            /** @description The number of embeddings examined. */
            documents: number;
            /** @description Whether only a sample was examined. */
            sampled: boolean;
            /** @description The most common fields first, at most 200; those of the parameter field in its order. */
            fields: {
                /** @description The field's path as filters write it. */
                path: string;
                /** @description How many of the examined embeddings have the field. */
                documents: number;
                /** @description How many do not. */
                missing: number;
                /** @description Their share. */
                share: number;
                /** @description In how many of them the field has each type. */
                types: {
                    [key: string]: number;
                };
                /** @description At most 20, with the parameter field 1,000, strings of up to 200 characters, numbers and booleans, also in arrays, with the number of embeddings that have them; the most frequent first. */
                values: {
                    value: string | number | boolean;
                    count: number;
                }[];
                /** @description Whether there are values that are not listed. */
                more_values: boolean;
            }[];
            /** @description Whether there are fields that are not listed. */
            more_fields: boolean;
        };
        SimilarityResponse: {
            /**
             * Format: uri
             * @description The URL of this answer's JSON Schema.
             */
            $schema: string;
            /** @description The project's owner. */
            user_handle: string;
            project_handle: string;
            /** @description With totals: the number of documents whose similarity reaches the threshold. */
            total_similar?: number;
            results: components["schemas"]["SearchResult"][];
        };
        SearchResult: {
            /** @description The text_id. */
            id: string;
            /** @description In a search of several projects: the one it is from, as owner/handle. */
            project?: string;
            /** @description Cosine similarity. Absent only in a search by words alone. */
            similarity?: number;
            /** @description With include: the share of random pairs of the project that are less similar than this result to the query; see scale of the statistics. Absent without a scale. */
            percentile?: number;
            /** @description With words: BM25, or with a vector too the score of both rankings together. */
            score?: number;
            /** @description With words: the place in the ranking by the vector, if it is among the first 100. */
            vector_rank?: number;
            /** @description With words: the place in the ranking by words, if it is among the first 100. */
            words_rank?: number;
            /** @description With group_by: the value of that field, of any type; null for documents without it. If the value's JSON has more than 1000 characters, a string with its first 100 characters, its length and its SHA-256. */
            group?: unknown;
            text?: string;
            /** @description With include: the places of the words in the text, the first 100 in about its first 10,000 characters. They count Unicode code points from 0, and end behind the last one: text[start:end] in Python, Array.from(text).slice(start, end) in JavaScript. */
            highlights?: {
                start: number;
                end: number;
            }[];
            metadata?: {
                [key: string]: unknown;
            };
            /** @description In the form that vector_format selects. */
            vector?: number[] | string;
            /** @description With include: the text before and the text after this one, as getAround finds them, with their metadata if these are included. */
            around?: {
                /** @description In the order of reading: the nearest is the last. */
                before: components["schemas"]["TextAround"][];
                /** @description The nearest is the first. */
                after: components["schemas"]["TextAround"][];
            };
        };
        TextAround: {
            /** @description The text_id. */
            id: string;
            text?: string;
            metadata?: {
                [key: string]: unknown;
            };
        };
        AroundAnswer: {
            text_id: string;
            /** @description In the order of reading: the nearest is the last. */
            before: components["schemas"]["TextAround"][];
            /** @description The nearest is the first. */
            after: components["schemas"]["TextAround"][];
        };
        SearchOfSeveralAnswer: {
            /** @description With totals: the number of documents whose similarity reaches the threshold. */
            total_similar?: number;
            results: components["schemas"]["SearchResult"][];
        };
        SearchOfSeveral: {
            /** @description Up to 20 projects, each as owner/handle. Unless words alone are searched for, all must have one model and the same dimensions. */
            projects: string[];
            /** @description The vector to search for. As a string: base64 of its elements as little-endian float32. */
            vector?: number[] | string;
            /** @description A stored embedding of one of the projects to search for, instead of a vector. */
            text_id?: {
                project: string;
                /** @description Unique within the project. */
                text_id: string;
            };
            /** @description A text to search for by its meaning, instead of a vector. It is sent to the provider of the project's instance if the project's text_queries allows it. */
            text?: string;
            /** @description Number of results. Default: limit, or else 10. */
            count?: number;
            /** @description Same as count. If both are given, the smaller one counts. */
            limit?: number;
            /** @description Number of results to skip. Default: 0. */
            offset?: number;
            /** @description Minimum similarity of results. Default: 0.5. */
            threshold?: number;
            /**
             * @description A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
             *
             *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
             *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
             *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
             *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
             *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
             */
            filter?: {
                [key: string]: unknown;
            };
            /** @description A metadata field in dot notation, for example ref.book (a backslash escapes a dot). Documents whose field equals metadata_value are excluded. */
            metadata_path?: string;
            /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
            metadata_value?: string;
            /** @description Which parts of an embedding to return: any of text, metadata, vector, highlights, around and percentile. Highlights are the places of the words in the text, around the texts before and after it; percentile says how many random pairs are less similar. */
            include?: ("text" | "metadata" | "vector" | "highlights" | "around" | "percentile")[];
            /**
             * @description How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long.
             * @enum {string}
             */
            vector_format?: "json" | "base64";
            /**
             * @description A metadata field in dot notation. Returns the best documents for each value of the field.
             *
             *     - Each result has its value in group. limit and offset count groups.
             *     - Documents without the field form one group (null). An array counts as one value.
             *     - Values of more than 1000 characters are shown by their beginning and SHA-256.
             */
            group_by?: string;
            /** @description Maximum number of results per group, for group_by. Default: 1. */
            group_size?: number;
            /** @description Also count all documents whose similarity reaches the threshold (total_similar). This compares every vector. With words alone: all documents that match them; with a vector, the words leave none out of this number. Default: false. */
            totals?: boolean;
            /** @description Words to find in the texts, ranked by BM25; no provider is asked. With a vector, text_id or text, both rankings are fused by reciprocal rank. "Words in quotes" must stand together, -word leaves documents out, and beginn* finds words that begin so. */
            words?: string;
            /** @description How much each ranking counts in a search by a vector and words. Default: 1 for both. */
            weights?: {
                vector?: number;
                words?: number;
            };
            /** @description The share of the ten most similar that a search must find on average. Default: 0.99. Lower values may be faster, higher ones slower: above 0.99, every vector is compared if they are not in memory (in projects up to max_scan_components of /v1/limits). */
            min_recall?: number;
            /** @description Force an exact search. See the header X-Search-Mode of the answer. Default: false. */
            exact?: boolean;
            /** @description Also return the source document itself. Default: false. */
            include_self?: boolean;
        };
        SearchBatchAnswer: {
            /** @description The project's owner. */
            user_handle: string;
            project_handle: string;
            /** @description One for each search, in the same order. */
            answers: (components["schemas"]["BatchedAnswer"] | components["schemas"]["BatchedError"])[];
        };
        BatchedAnswer: {
            /**
             * @description Same as the header X-Search-Mode.
             * @enum {string}
             */
            mode: "exact" | "approximate";
            /** @description Same as the header X-Search-Hidden. */
            hidden?: number;
            /** @description Same as the header X-Search-Note. */
            note?: string;
            /** @description With totals: the number of documents whose similarity reaches the threshold. */
            total_similar?: number;
            results: components["schemas"]["SearchResult"][];
        };
        BatchedError: {
            error: components["schemas"]["Problem"];
        };
        Problem: {
            /** @description The name of the status. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What is wrong, where, and how to correct it. */
            detail: string;
        };
        SearchBatch: {
            searches: (components["schemas"]["Search"] | unknown)[];
        };
        NeighboursRequest: {
            /** @description Maximum number of neighbours per embedding. Default: 10. */
            k?: number;
            /** @description Minimum similarity of neighbours. Default: 0.5. */
            threshold?: number;
            /**
             * @description A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
             *
             *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
             *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
             *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
             *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
             *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
             */
            filter?: {
                [key: string]: unknown;
            };
            /** @description A metadata path in dot notation; only embeddings with a different JSON value there count as neighbours. An embedding without a value differs from all that have one. */
            different?: string;
            /** @description Only embeddings after this text_id, in byte order, get a line: to continue an answer that broke off. */
            after?: string;
            /** @description Refuse the request if an exact answer is not possible. Default: false. */
            exact?: boolean;
        };
        ProjectMap: {
            user_handle: string;
            project_handle: string;
            /** @enum {string} */
            status: "ready";
            /** @description The project's revision. It increases whenever embeddings are added, replaced or deleted, and restarts when all are deleted at once. */
            current_revision: number;
            /** @description The project's revision when this map was computed. It is less than current_revision if the map is out of date. Absent if there are no embeddings. */
            revision?: number;
            /** Format: date-time */
            computed_at?: string;
            /** @description In byte order. */
            text_ids: string[];
            /** @description One coordinate between -1 and 1 for each of text_ids, rounded to 5 decimal places. */
            x: number[];
            /** @description On the same scale as x. */
            y: number[];
            /** @description Present if a field was requested. */
            field?: {
                /** @description The requested path. */
                path: string;
                /** @description The distinct values, in the order of their first occurrence. */
                values: (string | number | boolean)[];
                /** @description For each of text_ids, the index of its value in values; -1 if it has none, or if its value is a list, an object or longer than 800 bytes. */
                indexes: number[];
                /** @description Whether there are more values than fit into 8 MiB. The others count as no value. */
                more_values: boolean;
            };
            /** @description The number of text_ids. */
            count: number;
            /** @description The number of embeddings that were added since, and are not on the map. */
            missing_count: number;
            /** @description The number of embeddings that were on the map and have been deleted since. They are left out. */
            gone_count: number;
        };
        ProjectMapProgress: {
            user_handle: string;
            project_handle: string;
            /**
             * @description waiting: maps of other projects are computed first.
             * @enum {string}
             */
            status: "waiting" | "computing";
            /** @description The progress of the computation, 0 to 1. */
            progress: number;
            /** @description The project's revision. It increases whenever embeddings are added, replaced or deleted, and restarts when all are deleted at once. */
            current_revision: number;
        };
        SanityReport: {
            /**
             * @description FAILED if stored data contradict each other: one of the first four types of issues. WARNING if there are others.
             * @enum {string}
             */
            status: "PASSED" | "WARNING" | "FAILED";
            /** @description What was read; metadata only in projects with a metadataScheme. */
            checked: {
                projects: number;
                embeddings: number;
                schemes: number;
                metadata: number;
            };
            /** @description The number of all issues, listed or not. */
            issue_count: number;
            /** @description Their number by type. */
            issue_counts: {
                [key: string]: number;
            };
            /** @description The first ones, failures before warnings. */
            issues: components["schemas"]["SanityIssue"][];
        };
        SanityIssue: {
            /**
             * @description What is wrong:
             *
             *     - vector-dimensions: vector_dim is not the length of the vector
             *     - instance-dimensions: the instance has other dimensions
             *     - recorded-size: the recorded size of a project is wrong
             *     - metadata-scheme: the project's scheme is not valid any more
             *     - metadata: the metadata violate the scheme, which may have been set later
             *     - metadata-unchecked: the check takes too long
             *     - index-missing, index-broken: searches of this large project are exact, and slow
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
        Health: {
            /** @enum {string} */
            status: "ok";
        };
        Readiness: {
            /** @enum {string} */
            status: "ok";
            /** @description Why searches are slower than they could be. */
            notes?: string[];
        };
        Limits: {
            /** @description The size of an embeddings upload, after decompression. */
            max_body_bytes: number;
            /** @description The size of any other request body, after decompression. */
            max_other_body_bytes: number;
            /** @description The size of all bodies being read and processed; one user may take half of it, and all callers without a key a quarter. Above it, the answer is 503 with Retry-After. */
            max_body_bytes_in_flight: number;
            /** @description A body that falls 10 seconds behind is answered with 408. */
            min_body_bytes_per_second: number;
            /** @description Members, elements, objects and arrays in a body outside of its items. */
            max_values: number;
            /** @description The same within one item or line, except its vector. */
            max_item_values: number;
            /** @description Allowed for request bodies. */
            content_encodings: string[];
            /** @description In JSON. Uploads in lines have no limit. */
            max_embeddings_per_upload: number;
            max_dimensions: number;
            max_text_id_characters: number;
            /** @description In UTF-8. */
            max_text_bytes: number;
            max_metadata_bytes: number;
            max_metadata_depth: number;
            max_metadata_scheme_bytes: number;
            /** @description For pages of lists and for search results. */
            default_limit: number;
            max_limit: number;
            max_offset: number;
            /** @description The components (vectors × dimensions) of a project above which a search returns a shorter page if its index cannot fill it. exact=true searches any project completely. */
            max_scan_components: number;
            max_searches_per_batch: number;
            /** @description The components (vectors × dimensions) up to which neighbours are found exactly. */
            max_neighbours_components: number;
            /** @description The same limit in embeddings. */
            max_neighbours_embeddings: number;
            max_map_embeddings: number;
            /** @description For one user's keys together; absent if there is none. */
            requests_per_minute?: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
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
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user was deleted */
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
            /** @description The key was revoked */
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
                     * @description The request format in which texts are sent to be embedded. Default: openai, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.
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
                     * @description The request format in which texts are sent to be embedded. Default: openai, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.
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
            /** @description The standard was deleted */
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
                     * @description The request format in which texts are sent to be embedded. Default: openai, which Ollama, Text Embeddings Inference, vLLM and LM Studio understand too.
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
                    /** @description URL of the embedding endpoint; 'none' if vectors are uploaded and no provider is asked. */
                    endpoint: string;
                    description?: string | null;
                    /** @description Handle of an API standard. */
                    api_standard: string;
                    /** @description Model name. */
                    model: string;
                    /** @description The number of dimensions of the model's vectors. */
                    dimensions: number;
                    /** @description Tells the provider that a text is a query, for example search_query. Default: what the request_format of the API standard uses. */
                    query_input_type?: string | null;
                    /** @description Tells the provider that a text is a stored text, for example search_document. Default: what the request_format of the API standard uses. */
                    document_input_type?: string | null;
                    /** @description Put before queries that are embedded, for example 'query: '. */
                    query_prefix?: string | null;
                    /** @description Put before stored texts that are embedded, for example 'passage: '. */
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
                    /** @description URL of the embedding endpoint; 'none' if vectors are uploaded and no provider is asked. */
                    endpoint: string;
                    description?: string | null;
                    /** @description Handle of an API standard. */
                    api_standard: string;
                    /** @description Model name. */
                    model: string;
                    /** @description The number of dimensions of the model's vectors. */
                    dimensions: number;
                    /** @description Tells the provider that a text is a query, for example search_query. Default: what the request_format of the API standard uses. */
                    query_input_type?: string | null;
                    /** @description Tells the provider that a text is a stored text, for example search_document. Default: what the request_format of the API standard uses. */
                    document_input_type?: string | null;
                    /** @description Put before queries that are embedded, for example 'query: '. */
                    query_prefix?: string | null;
                    /** @description Put before stored texts that are embedded, for example 'passage: '. */
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
            /** @description The definition was deleted */
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
                    /** @description URL of the embedding endpoint; 'none' if vectors are uploaded and no provider is asked. */
                    endpoint?: string;
                    description?: string | null;
                    /** @description Handle of an API standard. */
                    api_standard?: string;
                    /** @description Model name. */
                    model?: string;
                    /** @description The number of dimensions of the model's vectors. */
                    dimensions?: number;
                    /** @description Tells the provider that a text is a query, for example search_query. Default: what the request_format of the API standard uses. */
                    query_input_type?: string | null;
                    /** @description Tells the provider that a text is a stored text, for example search_document. Default: what the request_format of the API standard uses. */
                    document_input_type?: string | null;
                    /** @description Put before queries that are embedded, for example 'query: '. */
                    query_prefix?: string | null;
                    /** @description Put before stored texts that are embedded, for example 'passage: '. */
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
                /** @description Change model or endpoint although embeddings made with them are stored. Default: false. */
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
            /** @description The instance was deleted */
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
    patchInstance: {
        parameters: {
            query?: {
                /** @description Change model or endpoint although embeddings made with them are stored. Default: false. */
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
                    /** @description URL of the embedding endpoint; 'none' if vectors are uploaded and no provider is asked. */
                    endpoint?: string;
                    description?: string | null;
                    /** @description Handle of an API standard. */
                    api_standard?: string;
                    /** @description Model name. */
                    model?: string;
                    /** @description The number of dimensions of the model's vectors. */
                    dimensions?: number;
                    /** @description Tells the provider that a text is a query, for example search_query. Default: what the request_format of the API standard uses. */
                    query_input_type?: string | null;
                    /** @description Tells the provider that a text is a stored text, for example search_document. Default: what the request_format of the API standard uses. */
                    document_input_type?: string | null;
                    /** @description Put before queries that are embedded, for example 'query: '. */
                    query_prefix?: string | null;
                    /** @description Put before stored texts that are embedded, for example 'passage: '. */
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
    testInstance: {
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
            /** @description The provider has answered with a vector */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Those of the provider's vector. */
                        dimensions: number;
                    };
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
            /** @description The instance was shared */
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
            /** @description The share was removed */
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
                /** @description Number of results. Default: 10. */
                limit?: number;
                /** @description Number of results to skip. Default: 0. Page N starts at (N - 1) * limit. */
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
                /** @description Only own projects, those shared with the caller, or public ones. The first two need a key. */
                visibility?: "own" | "shared" | "public";
                /** @description Number of results. Default: 10. */
                limit?: number;
                /** @description Number of results to skip. Default: 0. Page N starts at (N - 1) * limit. */
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
                /** @description Number of results. Default: 10. */
                limit?: number;
                /** @description Number of results to skip. Default: 0. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Also list the projects that are shared with the user, with the role in each. Default: false. */
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
            /** @description The project was deleted */
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
            /** @description The project was shared */
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
            /** @description The share was removed */
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
    listEmbeddings: {
        parameters: {
            query?: {
                /** @description Returns this one embedding. */
                text_id?: string;
                /** @description Number of results. Default: 10. */
                limit?: number;
                /** @description Number of results to skip. Default: 0. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Only embeddings whose text_id comes after this one in byte order; empty for the first page. */
                after?: string;
                /**
                 * @description JSON, for example {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
                 *
                 *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
                 *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
                 *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
                 *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
                 *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
                 */
                filter?: string;
                /** @description Which parts of an embedding to return: any of text, metadata and vector, separated by commas. Default: all of them. */
                include?: string;
                /** @description How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long. */
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
                /**
                 * @description What happens if a text_id exists already:
                 *
                 *     - error, the default: nothing is stored
                 *     - skip: the existing embedding stays
                 *     - replace: it is deleted and uploaded again, in one transaction. It loses text and metadata that are not sent, and gets a new created_at, unless all are the same.
                 */
                on_conflict?: string;
                /** @description For lines without their own. */
                instance_handle?: string;
                /** @description For lines without their own. */
                vector_dim?: number;
                /** @description Embed the texts of items without a vector, for the owner, and for editors if text_queries allows it. It counts towards text_query_budget, unless the owner uses the first key. Default: false. */
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
            /** @description For lines: the progress after each transaction, and finally the totals */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description All embeddings were stored */
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
                /** @description Only count what would be deleted. Default: false. */
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
            /** @description The embeddings were deleted or, with dry_run=true, counted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        matched_count: number;
                        /** @description 0 with dry_run=true. */
                        deleted_count: number;
                    };
                };
            };
        };
    };
    getEmbedding: {
        parameters: {
            query?: {
                /** @description Which parts of an embedding to return: any of text, metadata and vector, separated by commas. Default: all of them. */
                include?: string;
                /** @description How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long. */
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
            /** @description The embedding was deleted */
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
                /** @description ndjson (default): one line of JSON per embedding, which can be uploaded unchanged. semblance: the whole project in one file, for an import elsewhere. */
                format?: string;
                /**
                 * @description JSON, for example {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
                 *
                 *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
                 *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
                 *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
                 *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
                 *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
                 */
                filter?: string;
                /** @description Which parts of an embedding to return: any of text, metadata and vector, separated by commas. Default: all of them. */
                include?: string;
                /** @description How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long. */
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
            /** @description The file. Content-Disposition has its name, ETag (of ndjson) its state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "application/vnd.semblance+ndjson": string;
                };
            };
        };
    };
    importProject: {
        parameters: {
            query?: {
                /** @description Owner of the instance for the project. Default: the owner of the project. */
                instance_owner?: string;
                /** @description The instance for the project, which must have the file's model and dimensions. By default, the instance described in the file is created, with its handle and without a key; an existing instance with this handle is used if it has the same endpoint, API standard, model and dimensions. */
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
            /** @description The progress, and finally the project or an error */
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
                /** @description Only count what would be deleted. Default: false. */
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
            /** @description The embeddings were deleted or, with dry_run=true, counted */
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
            /** @description The missing and the different text_ids, in the order of the items */
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
                /**
                 * @description JSON, for example {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
                 *
                 *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
                 *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
                 *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
                 *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
                 *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
                 */
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
            /** @description The number of embeddings */
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
            query?: {
                /** @description A metadata field in dot notation, for example ref.book (a backslash escapes a dot); several as field=…&field=…. */
                field?: string[];
                /**
                 * @description JSON, for example {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
                 *
                 *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
                 *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
                 *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
                 *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
                 *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
                 */
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
                /** @description Number of results. Default: limit, or else 10. */
                count?: number;
                /** @description Same as count. If both are given, the smaller one counts. */
                limit?: number;
                /** @description Number of results to skip. Default: 0. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Minimum similarity of results. Default: 0.5. */
                threshold?: number;
                /**
                 * @description The smallest share of random pairs of the project's texts that are less similar than a result: 0.99 leaves out what is as similar as one of a hundred pairs by chance.
                 *
                 *     - If threshold is given too, results reach both; otherwise its default does not count.
                 *     - 422 if the project has no scale (see its statistics), 503 while its vectors are being read into memory.
                 *     - Words alone ignore it.
                 */
                min_percentile?: number;
                /**
                 * @description How different results are to be from each other. Default: 0.
                 *
                 *     - Of the best 10 × limit, each next one is that with the largest (1 − diversity) × similarity − diversity × (its largest similarity to one before it): maximal marginal relevance. Results are in this order.
                 *     - It works without offset, group_by and words.
                 *     - It needs the vectors in memory: 503 while they are being read, 422 if there is no room for them.
                 */
                diversity?: number;
                /**
                 * @description JSON, for example {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
                 *
                 *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
                 *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
                 *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
                 *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
                 *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
                 */
                filter?: string;
                /** @description A metadata field in dot notation, for example ref.book (a backslash escapes a dot). Documents whose field equals metadata_value are excluded. */
                metadata_path?: string;
                /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
                metadata_value?: string;
                /** @description Which parts of an embedding to return: any of text, metadata, vector, highlights, around and percentile, separated by commas. Default: only id and similarity. */
                include?: string;
                /** @description How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long. */
                vector_format?: string;
                /**
                 * @description A metadata field in dot notation. Returns the best documents for each value of the field.
                 *
                 *     - Each result has its value in group. limit and offset count groups.
                 *     - Documents without the field form one group (null). An array counts as one value.
                 *     - Values of more than 1000 characters are shown by their beginning and SHA-256.
                 */
                group_by?: string;
                /** @description Maximum number of results per group, for group_by. Default: 1. */
                group_size?: number;
                /** @description Also count all documents whose similarity reaches the threshold (total_similar). This compares every vector. With words alone: all documents that match them; with a vector, the words leave none out of this number. Default: false. */
                totals?: boolean;
                /** @description The share of the ten most similar that a search must find on average. Default: 0.99. Lower values may be faster, higher ones slower: above 0.99, every vector is compared if they are not in memory (in projects up to max_scan_components of /v1/limits). */
                min_recall?: number;
                /** @description Force an exact search. See the header X-Search-Mode of the answer. Default: false. */
                exact?: boolean;
                /** @description Also return the source document itself. Default: false. */
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
            /** @description The most similar first; ties are ordered by text_id */
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
            query?: {
                /** @description The stored embedding to search for. */
                text_id?: string;
                /** @description Words to find in the texts, ranked by BM25; no provider is asked. With a vector, text_id or text, both rankings are fused by reciprocal rank. "Words in quotes" must stand together, -word leaves documents out, and beginn* finds words that begin so. */
                words?: string;
                /** @description Number of results. Default: limit, or else 10. */
                count?: number;
                /** @description Same as count. If both are given, the smaller one counts. */
                limit?: number;
                /** @description Number of results to skip. Default: 0. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Minimum similarity of results. Default: 0.5. */
                threshold?: number;
                /**
                 * @description The smallest share of random pairs of the project's texts that are less similar than a result: 0.99 leaves out what is as similar as one of a hundred pairs by chance.
                 *
                 *     - If threshold is given too, results reach both; otherwise its default does not count.
                 *     - 422 if the project has no scale (see its statistics), 503 while its vectors are being read into memory.
                 *     - Words alone ignore it.
                 */
                min_percentile?: number;
                /**
                 * @description How different results are to be from each other. Default: 0.
                 *
                 *     - Of the best 10 × limit, each next one is that with the largest (1 − diversity) × similarity − diversity × (its largest similarity to one before it): maximal marginal relevance. Results are in this order.
                 *     - It works without offset, group_by and words.
                 *     - It needs the vectors in memory: 503 while they are being read, 422 if there is no room for them.
                 */
                diversity?: number;
                /**
                 * @description JSON, for example {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
                 *
                 *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
                 *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
                 *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
                 *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
                 *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
                 */
                filter?: string;
                /** @description A metadata field in dot notation, for example ref.book (a backslash escapes a dot). Documents whose field equals metadata_value are excluded. */
                metadata_path?: string;
                /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
                metadata_value?: string;
                /** @description Which parts of an embedding to return: any of text, metadata, vector, highlights, around and percentile, separated by commas. Default: only id and similarity. */
                include?: string;
                /** @description How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long. */
                vector_format?: string;
                /**
                 * @description A metadata field in dot notation. Returns the best documents for each value of the field.
                 *
                 *     - Each result has its value in group. limit and offset count groups.
                 *     - Documents without the field form one group (null). An array counts as one value.
                 *     - Values of more than 1000 characters are shown by their beginning and SHA-256.
                 */
                group_by?: string;
                /** @description Maximum number of results per group, for group_by. Default: 1. */
                group_size?: number;
                /** @description Also count all documents whose similarity reaches the threshold (total_similar). This compares every vector. With words alone: all documents that match them; with a vector, the words leave none out of this number. Default: false. */
                totals?: boolean;
                /** @description The share of the ten most similar that a search must find on average. Default: 0.99. Lower values may be faster, higher ones slower: above 0.99, every vector is compared if they are not in memory (in projects up to max_scan_components of /v1/limits). */
                min_recall?: number;
                /** @description Force an exact search. See the header X-Search-Mode of the answer. Default: false. */
                exact?: boolean;
                /** @description Also return the source document itself. Default: false. */
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
            /** @description The most similar first; ties are ordered by text_id */
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
                /** @description Number of results. Default: limit, or else 10. */
                count?: number;
                /** @description Same as count. If both are given, the smaller one counts. */
                limit?: number;
                /** @description Number of results to skip. Default: 0. Page N starts at (N - 1) * limit. */
                offset?: number;
                /** @description Minimum similarity of results. Default: 0.5. */
                threshold?: number;
                /**
                 * @description The smallest share of random pairs of the project's texts that are less similar than a result: 0.99 leaves out what is as similar as one of a hundred pairs by chance.
                 *
                 *     - If threshold is given too, results reach both; otherwise its default does not count.
                 *     - 422 if the project has no scale (see its statistics), 503 while its vectors are being read into memory.
                 *     - Words alone ignore it.
                 */
                min_percentile?: number;
                /**
                 * @description How different results are to be from each other. Default: 0.
                 *
                 *     - Of the best 10 × limit, each next one is that with the largest (1 − diversity) × similarity − diversity × (its largest similarity to one before it): maximal marginal relevance. Results are in this order.
                 *     - It works without offset, group_by and words.
                 *     - It needs the vectors in memory: 503 while they are being read, 422 if there is no room for them.
                 */
                diversity?: number;
                /**
                 * @description JSON, for example {"ref.book":{"$in":["Mark","Luke"]},"year":{"$gte":1611}}. A filter for embeddings: {"field": value} or {"field": {"$operator": value}}. Several fields must all match.
                 *
                 *     - Fields are metadata paths in dot notation (a backslash escapes a dot), text_id and created_at.
                 *     - {"$text": {"$contains": "part"}} looks into texts, in capital and small letters; {"$text": {"$exists": false}} finds embeddings without text.
                 *     - Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $contains (an array has the element) $prefix (of a text), combined by $and, $or and $not.
                 *     - Values are compared with their types: 1 is not "1". An array in the metadata matches if one of its elements does.
                 *     - At most 16 levels, 256 conditions and 1000 values, 200 of them for metadata.
                 */
                filter?: string;
                /** @description A metadata field in dot notation, for example ref.book (a backslash escapes a dot). Documents whose field equals metadata_value are excluded. */
                metadata_path?: string;
                /** @description Compared as text with the scalar at metadata_path, or with each element of an array there. */
                metadata_value?: string;
                /** @description Which parts of an embedding to return: any of text, metadata, vector, highlights, around and percentile, separated by commas. Default: only id and similarity. */
                include?: string;
                /** @description How vectors are written: as arrays of numbers (json, the default), or as base64 of little-endian float32, which is exact and less than half as long. */
                vector_format?: string;
                /**
                 * @description A metadata field in dot notation. Returns the best documents for each value of the field.
                 *
                 *     - Each result has its value in group. limit and offset count groups.
                 *     - Documents without the field form one group (null). An array counts as one value.
                 *     - Values of more than 1000 characters are shown by their beginning and SHA-256.
                 */
                group_by?: string;
                /** @description Maximum number of results per group, for group_by. Default: 1. */
                group_size?: number;
                /** @description Also count all documents whose similarity reaches the threshold (total_similar). This compares every vector. With words alone: all documents that match them; with a vector, the words leave none out of this number. Default: false. */
                totals?: boolean;
                /** @description The share of the ten most similar that a search must find on average. Default: 0.99. Lower values may be faster, higher ones slower: above 0.99, every vector is compared if they are not in memory (in projects up to max_scan_components of /v1/limits). */
                min_recall?: number;
                /** @description Force an exact search. See the header X-Search-Mode of the answer. Default: false. */
                exact?: boolean;
                /** @description Also return the source document itself. Default: false. */
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
            /** @description The most similar first; ties are ordered by text_id */
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
    getAround: {
        parameters: {
            query?: {
                /** @description How many texts before it. Default: 2. */
                before?: number;
                /** @description How many texts after it. Default: 2. */
                after?: number;
                /** @description Which parts of an embedding to return: any of text and metadata, separated by commas. Default: text and metadata. */
                include?: string;
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
            /** @description The texts around it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AroundAnswer"];
                };
            };
        };
    };
    searchProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchOfSeveral"];
            };
        };
        responses: {
            /** @description The most similar first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchOfSeveralAnswer"];
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
                /** @description A metadata path in dot notation to colour the points by, such as ref.book. */
                field?: string;
                /** @description Accepts only a map of at least this revision of the project; the answer is 202 until there is one. A revision that does not exist yet counts as the current one. */
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
                };
            };
            /** @description The map is being computed */
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
            /** @description The result of the check */
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
            /** @description The archive. RESTORE.txt in it explains how to restore it. */
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
            /** @description The process responds */
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
            /** @description The service is ready */
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
