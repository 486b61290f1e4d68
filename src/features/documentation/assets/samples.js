// @ts-check
// The samples: one language for all of them, which the next page remembers, and copying.

const languageKey = 'sample-language';

/** The language that the reader chose. Browsers can forbid storage. */
function storedLanguage() {
  try {
    return localStorage.getItem(languageKey) ?? '';
  } catch {
    return '';
  }
}

/** @param {string} language */
function storeLanguage(language) {
  try {
    localStorage.setItem(languageKey, language);
  } catch {
    // The choice lasts until the reader leaves the page.
  }
}

/** Shows one language in every sample that has it. @param {string} language */
function showLanguage(language) {
  const tabs = document.querySelectorAll(`.tabs input[value="${CSS.escape(language)}"]`);
  for (const tab of tabs) /** @type {HTMLInputElement} */ (tab).checked = true;
}

showLanguage(storedLanguage());
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.closest('.tabs')) return;
  // Other samples change their height: keep this one at the same place on the screen.
  const { y } = target.getBoundingClientRect();
  showLanguage(target.value);
  storeLanguage(target.value);
  window.scrollBy({ top: target.getBoundingClientRect().y - y, behavior: 'instant' });
});

/** Adds a button that copies the code that is visible. @param {Element} sample */
export function addCopyButton(sample) {
  // Browsers offer the clipboard only over https or on localhost.
  if (!('clipboard' in navigator)) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy slim';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const code = [...sample.querySelectorAll('code')].find((each) => each.checkVisibility());
    void navigator.clipboard.writeText(code?.textContent ?? '').then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Not copied'),
    );
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  });
  sample.append(button);
}
for (const sample of document.querySelectorAll('main .sample')) addCopyButton(sample);
