-- The raised amount and the number of supporters of each project. A completion only appends its
-- change, so completions do not wait for each other. At most once a minute, a process adds the
-- changes to the figures, so reads add up nothing.

CREATE TABLE project_figures (
  figures_scope integer NOT NULL,
  project_id integer NOT NULL,
  raised_cents bigint NOT NULL,
  supporters_count bigint NOT NULL,
  CONSTRAINT project_figures_pkey PRIMARY KEY (figures_scope, project_id),
  CONSTRAINT project_figures_project_fkey FOREIGN KEY (project_id) REFERENCES projects (project_id)
);

CREATE TABLE project_figure_changes (
  environment_id integer NOT NULL,
  change_id bigint GENERATED ALWAYS AS IDENTITY,
  project_id integer NOT NULL,
  amount_cents bigint NOT NULL,
  supporters smallint NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT project_figure_changes_pkey PRIMARY KEY (environment_id, change_id)
);
COMMENT ON TABLE project_figure_changes IS
  'changes that are not in the figures yet; adding them deletes the rows';

CREATE TABLE project_figures_turn (
  only_row boolean NOT NULL DEFAULT true,
  taken_at timestamptz NOT NULL,
  CONSTRAINT project_figures_turn_pkey PRIMARY KEY (only_row),
  CONSTRAINT project_figures_turn_one_row CHECK (only_row)
);
COMMENT ON TABLE project_figures_turn IS
  'when the figures were last updated: the process that advances it does the next update';
INSERT INTO project_figures_turn (taken_at) VALUES ('-infinity');
