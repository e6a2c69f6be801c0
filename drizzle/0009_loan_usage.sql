CREATE TABLE "loan_usage" (
	"instance_id" bigint NOT NULL,
	"borrower_id" bigint NOT NULL,
	"day" date NOT NULL,
	"requests" bigint NOT NULL,
	"characters" bigint NOT NULL,
	CONSTRAINT "loan_usage_instance_id_borrower_id_day_pk" PRIMARY KEY("instance_id","borrower_id","day")
);
--> statement-breakpoint
ALTER TABLE "loan_usage" ADD CONSTRAINT "loan_usage_instance_id_instances_instance_id_fk" FOREIGN KEY ("instance_id") REFERENCES "public"."instances"("instance_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "loan_usage" ADD CONSTRAINT "loan_usage_borrower_id_users_user_id_fk" FOREIGN KEY ("borrower_id") REFERENCES "public"."users"("user_id") ON DELETE cascade ON UPDATE no action;