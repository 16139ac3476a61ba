// The sidebar is longer than the window: scroll it to the current page.
document.addEventListener("DOMContentLoaded", () => {
    const sidebar = document.querySelector(".sidebar-scroll");
    const current = sidebar?.querySelector(".current-page");
    if (!current) return;
    const below = current.getBoundingClientRect().bottom - sidebar.getBoundingClientRect().bottom;
    if (below > 0) sidebar.scrollBy({ top: below + sidebar.clientHeight / 2, behavior: "instant" });
});
