CREATE OR REPLACE FUNCTION company_name_skeleton(_name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
-- What two names of companies are compared by: compatible characters (NFKC) without case, without
-- invisible characters, and with single spaces. Lower case first: only that equates ß and ẞ. The collation makes case independent of the database.
SELECT btrim(regexp_replace(normalize(upper(lower(regexp_replace(
         normalize(_name, NFKC),
         '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F'
           '\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U000E0000-\U000E0FFF]',
         '', 'g') COLLATE "und-x-icu")), NFKC), '[\s\u2800]+', ' ', 'g'))
$$;
