// A page opened from a folder may not read its neighbours, so results come without excerpts there.
if (location.protocol === 'file:' && typeof DOCUMENTATION_OPTIONS !== 'undefined') DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// The theme's arrows that unfold a part of the contents have no name of their own.
addEventListener('DOMContentLoaded', () => {
  for (const arrow of document.querySelectorAll('.bd-links summary')) arrow.setAttribute('aria-label', 'Pages of this part');
});

// Names of parts of a page that the theme has in English only.
const CHINESE = {
  'Toggle primary sidebar': '显示或隐藏全书目录', 'Toggle secondary sidebar': '显示或隐藏本页目录', 'Pages of this part': '这一部分的页面',
  'Main': '全书目录', 'Page': '本页目录', 'Breadcrumb': '所在位置',
};
addEventListener('DOMContentLoaded', () => {
  if (!document.documentElement.lang.startsWith('zh')) return;
  for (const name of ['title', 'aria-label']) {
    for (const part of document.querySelectorAll(`[${name}]`)) {
      const said = CHINESE[part.getAttribute(name)];
      if (said) part.setAttribute(name, said);
    }
  }
});

// A region that scrolls is reached with the keyboard too.
addEventListener('load', () => {
  for (const region of document.querySelectorAll('.highlight pre, .output pre, .output_area, div.cell_output')) {
    if (region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight) region.tabIndex = 0;
  }
});
