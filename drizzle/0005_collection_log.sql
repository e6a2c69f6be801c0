CREATE TABLE "collection_changes" (
	"collection_id" bigint NOT NULL,
	"revision" bigint NOT NULL,
	"text_ids" jsonb,
	"changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "collection_changes_collection_id_revision_pk" PRIMARY KEY("collection_id","revision")
);
--> statement-breakpoint
ALTER TABLE "collection_changes" ADD CONSTRAINT "collection_changes_collection_id_collections_collection_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("collection_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "collection_changes_age" ON "collection_changes" USING btree ("changed_at");