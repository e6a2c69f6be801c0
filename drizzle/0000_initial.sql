-- Written by hand: the extension, and how vectors are stored (drizzle-kit knows neither).
CREATE EXTENSION IF NOT EXISTS vector;
--> statement-breakpoint
CREATE TABLE "api_standards" (
	"api_standard_handle" text COLLATE "C" PRIMARY KEY NOT NULL,
	"description" text NOT NULL,
	"key_method" text NOT NULL,
	"key_field" text NOT NULL,
	CONSTRAINT "api_standards_key_method" CHECK ("api_standards"."key_method" in ('auth_bearer', 'auth_apikey', 'query_param', 'none'))
);
--> statement-breakpoint
CREATE TABLE "definitions" (
	"definition_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "definitions_definition_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"definition_handle" text COLLATE "C" NOT NULL,
	"owner_id" bigint NOT NULL,
	"endpoint" text NOT NULL,
	"description" text,
	"api_standard" text COLLATE "C" NOT NULL,
	"model" text NOT NULL,
	"dimensions" integer NOT NULL,
	CONSTRAINT "definitions_owner_handle" UNIQUE("owner_id","definition_handle")
);
--> statement-breakpoint
CREATE TABLE "embeddings" (
	"project_id" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"vector_dim" integer NOT NULL,
	"text_id" text COLLATE "C" NOT NULL,
	"vector" vector NOT NULL,
	"metadata" jsonb,
	"text" text,
	CONSTRAINT "embeddings_project_id_text_id_pk" PRIMARY KEY("project_id","text_id")
);
--> statement-breakpoint
CREATE TABLE "instance_shares" (
	"instance_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "instance_shares_instance_id_user_id_pk" PRIMARY KEY("instance_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "instances" (
	"instance_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "instances_instance_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"instance_handle" text COLLATE "C" NOT NULL,
	"owner_id" bigint NOT NULL,
	"endpoint" text NOT NULL,
	"description" text,
	"api_standard" text COLLATE "C" NOT NULL,
	"model" text NOT NULL,
	"dimensions" integer NOT NULL,
	"definition_id" bigint,
	"key_sealed" text,
	CONSTRAINT "instances_owner_handle" UNIQUE("owner_id","instance_handle")
);
--> statement-breakpoint
CREATE TABLE "project_shares" (
	"project_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "project_shares_project_id_user_id_pk" PRIMARY KEY("project_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"project_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "projects_project_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner_id" bigint NOT NULL,
	"project_handle" text COLLATE "C" NOT NULL,
	"description" text,
	"instance_id" bigint,
	"public_read" boolean DEFAULT false NOT NULL,
	"metadata_scheme" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "projects_owner_handle" UNIQUE("owner_id","project_handle")
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"user_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "users_user_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_handle" text COLLATE "C" NOT NULL,
	"name" text,
	"email" text,
	"key_hash" text,
	"key_sealed" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_user_handle_unique" UNIQUE("user_handle"),
	CONSTRAINT "users_key_hash_unique" UNIQUE("key_hash")
);
--> statement-breakpoint
ALTER TABLE "definitions" ADD CONSTRAINT "definitions_owner_id_users_user_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "definitions" ADD CONSTRAINT "definitions_api_standard_api_standards_api_standard_handle_fk" FOREIGN KEY ("api_standard") REFERENCES "public"."api_standards"("api_standard_handle") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "embeddings" ADD CONSTRAINT "embeddings_project_id_projects_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("project_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "instance_shares" ADD CONSTRAINT "instance_shares_instance_id_instances_instance_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("instance_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "instance_shares" ADD CONSTRAINT "instance_shares_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "instances" ADD CONSTRAINT "instances_owner_id_users_user_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "instances" ADD CONSTRAINT "instances_api_standard_api_standards_api_standard_handle_fk" FOREIGN KEY ("api_standard") REFERENCES "public"."api_standards"("api_standard_handle") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "instances" ADD CONSTRAINT "instances_definition_id_definitions_definition_id_fk" FOREIGN KEY ("definition_id") REFERENCES "public"."definitions"("definition_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_shares" ADD CONSTRAINT "project_shares_project_id_projects_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("project_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_shares" ADD CONSTRAINT "project_shares_user_id_users_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_owner_id_users_user_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_instance_id_instances_instance_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("instance_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "definitions_api_standard" ON "definitions" USING btree ("api_standard");--> statement-breakpoint
CREATE INDEX "instance_shares_user" ON "instance_shares" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "instances_api_standard" ON "instances" USING btree ("api_standard");--> statement-breakpoint
CREATE INDEX "instances_definition" ON "instances" USING btree ("definition_id");--> statement-breakpoint
CREATE INDEX "project_shares_user" ON "project_shares" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "projects_instance" ON "projects" USING btree ("instance_id");--> statement-breakpoint
-- Inline vectors: an exact scan is some 3 times faster than with vectors out of line (see README).
ALTER TABLE "embeddings" ALTER COLUMN "vector" SET STORAGE MAIN;--> statement-breakpoint
ALTER TABLE "embeddings" SET (toast_tuple_target = 8160);
