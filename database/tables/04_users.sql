-- The only table with personal data: the user's hash and first name. Other tables have user_id.
CREATE TABLE users (
  environment_id integer NOT NULL,
  user_id bigint GENERATED ALWAYS AS IDENTITY,
  user_hash text COLLATE "C",
  first_name text,
  created_at timestamptz NOT NULL DEFAULT now(),
  forgotten_at timestamptz,
  CONSTRAINT users_pkey PRIMARY KEY (environment_id, user_id),
  CONSTRAINT users_user_hash_key UNIQUE (environment_id, user_hash),
  CONSTRAINT users_environment_fkey FOREIGN KEY (environment_id) REFERENCES environments (environment_id),
  CONSTRAINT users_user_hash_form CHECK (user_hash ~ '^[!-~]+$' AND octet_length(user_hash) <= 1024),
  CONSTRAINT users_first_name_length CHECK (char_length(first_name) BETWEEN 1 AND 100),
  CONSTRAINT users_emptied_when_forgotten CHECK (
    (forgotten_at IS NULL AND user_hash IS NOT NULL)
    OR (forgotten_at IS NOT NULL AND user_hash IS NULL AND first_name IS NULL)
  )
);

-- The projects that a user supports.
CREATE TABLE supports (
  environment_id integer NOT NULL,
  user_id bigint NOT NULL,
  project_id integer NOT NULL,
  first_supported_at timestamptz NOT NULL,
  last_supported_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT supports_pkey PRIMARY KEY (environment_id, user_id, project_id),
  CONSTRAINT supports_user_fkey
    FOREIGN KEY (environment_id, user_id) REFERENCES users (environment_id, user_id),
  CONSTRAINT supports_project_fkey FOREIGN KEY (project_id) REFERENCES projects (project_id),
  CONSTRAINT supports_last_not_before_first CHECK (last_supported_at >= first_supported_at),
  CONSTRAINT supports_ended_not_before_first CHECK (ended_at >= first_supported_at)
);
COMMENT ON COLUMN supports.ended_at IS
  'when all contributions of the user to the project had been returned; null while it counts';

CREATE TABLE story_views (
  environment_id integer NOT NULL,
  user_id bigint NOT NULL,
  project_id integer NOT NULL,
  viewed_story_numbers int4multirange NOT NULL,
  CONSTRAINT story_views_pkey PRIMARY KEY (environment_id, user_id, project_id),
  CONSTRAINT story_views_user_fkey
    FOREIGN KEY (environment_id, user_id) REFERENCES users (environment_id, user_id),
  CONSTRAINT story_views_project_fkey FOREIGN KEY (project_id) REFERENCES projects (project_id)
);
COMMENT ON COLUMN story_views.viewed_story_numbers IS
  'the story_number of every viewed story: one row per user and project, however many stories exist';
