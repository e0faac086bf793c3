// Between require.js and the widget manager: where anywidget is, seen from this page.
requirejs.config({ paths: { anywidget: document.currentScript.src.replace(/widgets\.js.*$/, 'index') } });
