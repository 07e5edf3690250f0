// The form of a new flow: shows only the fields of what it begins as. Without this script all are shown.

const form = document.querySelector("form[data-once]");

function show() {
  const chosen = form.querySelector("[name=begin]:checked")?.value;
  for (const part of form.querySelectorAll("[data-begin]")) part.hidden = part.dataset.begin !== chosen;
}

form.addEventListener("change", show);
show();
