ALTER TABLE "collections" ADD COLUMN "revision" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "collections" ADD COLUMN "added_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "collections" ADD COLUMN "longest_pause" double precision;