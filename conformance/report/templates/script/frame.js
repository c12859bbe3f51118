/* What every page with a script does: commands can be copied, what scrolls can be reached, a key leads to the query. */

/* What is in closed details has no layout yet: it is set up when they open. */
const isClosed = (element) => element.closest("details:not([open])") !== null;

const setUpCopying = (around) => {
  for (const command of around.querySelectorAll("pre.command:not(.copyable)")) {
    if (isClosed(command)) continue;
    const button = make("button", { type: "button", class: "copy" }, "Copy");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(command.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(command);
        button.textContent = "Selected";
      }
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    command.classList.add("copyable");
    command.before(button);
  }
};

/* What scrolls can be reached by the keyboard, too, and nothing else. */
const setUpScrolling = (around) => {
  for (const box of around.querySelectorAll(".scroll, pre")) {
    if (isClosed(box)) continue;
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};

/* The keys of the query: / where nothing is being written, and Ctrl+K. */
const leadsToQuery = (event) => {
  const isHeld = event.ctrlKey || event.metaKey;
  if (event.key === "/") return !isHeld && !event.altKey && !event.target.closest("input, select");
  return event.key.toLowerCase() === "k" && isHeld;
};
