DROP INDEX "project_shares_user";--> statement-breakpoint
CREATE INDEX "project_shares_user_project" ON "project_shares" USING btree ("user_id","project_id");--> statement-breakpoint
CREATE INDEX "projects_owner" ON "projects" USING btree ("owner_id","project_id");--> statement-breakpoint
CREATE INDEX "projects_public" ON "projects" USING btree ("project_id") WHERE "projects"."public_read";