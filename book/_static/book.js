// A page opened from a folder may not read its neighbours, so results come without excerpts there.
if (location.protocol === 'file:' && typeof DOCUMENTATION_OPTIONS !== 'undefined') DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// The theme's arrows that unfold a part of the contents have no name of their own.
addEventListener('DOMContentLoaded', () => {
  for (const arrow of document.querySelectorAll('.bd-links summary')) arrow.setAttribute('aria-label', 'Pages of this part');
});

// A region that scrolls is reached with the keyboard too.
addEventListener('load', () => {
  for (const region of document.querySelectorAll('.highlight pre, .output pre, .output_area, div.cell_output')) {
    if (region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight) region.tabIndex = 0;
  }
});
