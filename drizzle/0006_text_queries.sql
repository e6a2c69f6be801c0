CREATE TABLE "text_query_usage" (
	"project_id" bigint NOT NULL,
	"day" date NOT NULL,
	"caller" text COLLATE "C" NOT NULL,
	"requests" bigint NOT NULL,
	"characters" bigint NOT NULL,
	CONSTRAINT "text_query_usage_project_id_day_caller_pk" PRIMARY KEY("project_id","day","caller")
);
--> statement-breakpoint
ALTER TABLE "api_standards" ADD COLUMN "request_format" text;--> statement-breakpoint
ALTER TABLE "definitions" ADD COLUMN "query_input_type" text;--> statement-breakpoint
ALTER TABLE "definitions" ADD COLUMN "document_input_type" text;--> statement-breakpoint
ALTER TABLE "definitions" ADD COLUMN "query_prefix" text;--> statement-breakpoint
ALTER TABLE "definitions" ADD COLUMN "document_prefix" text;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "query_input_type" text;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "document_input_type" text;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "query_prefix" text;--> statement-breakpoint
ALTER TABLE "instances" ADD COLUMN "document_prefix" text;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "text_queries" text DEFAULT 'off' NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "text_query_budget" jsonb;--> statement-breakpoint
ALTER TABLE "text_query_usage" ADD CONSTRAINT "text_query_usage_project_id_projects_project_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("project_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_standards" ADD CONSTRAINT "api_standards_request_format" CHECK ("api_standards"."request_format" in ('openai', 'cohere', 'gemini'));--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_text_queries" CHECK ("projects"."text_queries" in ('off', 'members', 'everybody'));