CREATE TABLE "key_projects" (
	"key_id" bigint NOT NULL,
	"project_id" bigint NOT NULL,
	CONSTRAINT "key_projects_key_id_project_id_pk" PRIMARY KEY("key_id","project_id")
);
--> statement-breakpoint
CREATE TABLE "user_keys" (
	"key_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "user_keys_key_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" bigint NOT NULL,
	"key_handle" text COLLATE "C" NOT NULL,
	"description" text,
	"key_hash" text NOT NULL,
	"access" text NOT NULL,
	"is_limited" boolean NOT NULL,
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "user_keys_key_hash_unique" UNIQUE("key_hash"),
	CONSTRAINT "user_keys_user_handle" UNIQUE("user_id","key_handle"),
	CONSTRAINT "user_keys_access" CHECK ("user_keys"."access" in ('read', 'write'))
);
--> statement-breakpoint
ALTER TABLE "key_projects" ADD CONSTRAINT "key_projects_key_id_user_keys_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."user_keys"("key_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_projects" ADD CONSTRAINT "key_projects_project_id_projects_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("project_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_keys" ADD CONSTRAINT "user_keys_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_projects_project" ON "key_projects" USING btree ("project_id");