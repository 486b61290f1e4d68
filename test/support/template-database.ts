/** The template of every test file's database: an existing one if it is named. */
export const templateDatabase = process.env['TEST_TEMPLATE_DATABASE'] ?? 'contribution_template';
