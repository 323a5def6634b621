'use strict';
// A part of a page is asked for again and takes the place of the old one; the server makes all texts and drawings.
const wait = ms => new Promise(done => setTimeout(done, ms));
async function follow(part) {
  const slowly = 'slowly' in part.dataset, whole = 'whole' in part.dataset;
  let last = null;
  for (;;) {
    await wait(slowly ? 3000 : whole ? 1000 : 400);
    if (document.hidden || part.contains(document.activeElement) && slowly) continue;
    try {
      const answer = await fetch(part.dataset.again, {credentials: 'same-origin'});
      if (whole && answer.redirected) { location.replace(answer.url); return; }
      if (!answer.ok) continue;
      let text = await answer.text();
      if (slowly || whole) {
        const found = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-again]');
        if (!found) { location.reload(); return; }
        text = found.innerHTML;
      }
      if (text !== last) {
        // What was ticked stays ticked.
        const ticked = [...part.querySelectorAll('input:checked')].map(box => box.value);
        part.innerHTML = text;
        part.querySelectorAll('input[type=checkbox]').forEach(box => { box.checked = ticked.includes(box.value); });
        last = text;
      }
      if (part.querySelector('[data-end]')) return;
    } catch (error) { /* The server may come back. */ }
  }
}
async function post(to, body) {
  const key = document.querySelector('meta[name=plumb-key]');
  const answer = await fetch(to, {method: 'POST', body, redirect: 'follow', headers: {'X-Plumb-Key': key ? key.content : ''}});
  if (answer.ok) { location.assign((await answer.text()).trim()); return; }
  const said = document.querySelector('[data-answer]');
  said.textContent = await answer.text();
  said.hidden = false;
}
document.querySelectorAll('[data-again]').forEach(follow);
document.addEventListener('click', event => {
  const button = event.target.closest('button[data-post]');
  if (button) { event.preventDefault(); post(button.dataset.post, new URLSearchParams()); }
});
document.addEventListener('submit', event => {
  const form = event.target.closest('form[data-post]');
  if (form) { event.preventDefault(); post(form.dataset.post, new URLSearchParams(new FormData(form))); }
});
