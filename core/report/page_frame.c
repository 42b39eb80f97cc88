/* What every page has: how it looks, and the few lines that sort its tables. */
#include "report/page_parts.h"

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1d2530;--soft:#5b6675;--line:#dde2e8;"
    "--card:#f6f8fa;--accent:#2f6690;--best:#e2f1e4}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e4e8ec;--soft:#9aa6b2;"
    "--line:#303841;--card:#1c2229;--accent:#7fb5de;--best:#1f3d2a}}\n"
    "*{box-sizing:border-box}\n"
    "html{scroll-padding-top:1rem}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif;"
    "overflow-wrap:anywhere}\n"
    "header,main,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}\n"
    "header{padding-top:2.25rem}\n"
    "h1{font-size:2rem;line-height:1.2;margin:0;letter-spacing:-.01em}\n"
    "h2{font-size:1.3rem;margin:2.75rem 0 .75rem;padding-bottom:.3rem;"
    "border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1.02rem;margin:1.75rem 0 .5rem}\n"
    ".lead{margin:.35rem 0 1rem;color:var(--soft);font-size:1.05rem}\n"
    "nav{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;font-size:.95rem}\n"
    "a{color:var(--accent)}\n"
    "nav a{text-decoration:none}\nnav a:hover{text-decoration:underline}\n"
    ".note,.missing{color:var(--soft);font-size:.92rem;white-space:pre-line;margin:.5rem 0 "
    "1rem}\n.flow{white-space:normal}\n"
    ".box{overflow:auto;max-height:34rem;margin:.6rem 0 1.2rem;border:1px solid var(--line);"
    "border-radius:8px}\n"
    ".box:focus-visible,summary:focus-visible,button:focus-visible{outline:2px solid "
    "var(--accent);outline-offset:1px}\n"
    "table{border-collapse:separate;border-spacing:0;font-size:.92rem;min-width:100%;"
    "font-variant-numeric:tabular-nums;overflow-wrap:normal}\n"
    "caption{text-align:left;padding:.5rem .75rem;color:var(--soft);white-space:nowrap}\n"
    "th,td{padding:.32rem .75rem;text-align:right;white-space:nowrap;"
    "border-bottom:1px solid var(--line)}\n"
    "tbody tr:last-child>*{border-bottom:0}\n"
    "thead{position:sticky;top:0;z-index:2}\n"
    "thead th{background:var(--card);font-weight:600;vertical-align:bottom}\n"
    "th[scope=colgroup]{text-align:center;border-left:1px solid var(--line)}\n"
    "th:first-child{text-align:left}\n"
    ".groups thead tr+tr th:first-child{text-align:right}\n"
    "th[scope=row]{font-weight:500;background:var(--paper);position:sticky;left:0;z-index:1;"
    "max-width:15rem;overflow:hidden;text-overflow:ellipsis}\n"
    ".words th,.words td{text-align:left}\n"
    "tbody tr:hover>*{background:var(--card)}\n"
    "tbody td.best{background:var(--best);font-weight:600}\n"
    "th button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}\n"
    "th button::after{content:\"\\2195\";opacity:.35;padding-left:.25em}\n"
    "th[aria-sort=ascending] button::after{content:\"\\2191\";opacity:1}\n"
    "th[aria-sort=descending] button::after{content:\"\\2193\";opacity:1}\n"
    "figure{margin:.75rem 0 1.5rem;padding:.75rem;border:1px solid var(--line);"
    "border-radius:8px}\n"
    "figure svg{display:block;width:100%;height:auto;max-height:40rem}\n"
    ".draw{overflow-x:auto}\n"
    "figcaption{margin-top:.4rem;color:var(--soft);font-size:.92rem}\n"
    "@media(prefers-color-scheme:dark){figure svg{filter:invert(.91) hue-rotate(180deg)}}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));"
    "gap:0 1rem}\n"
    "details{margin:.6rem 0 1rem}\n"
    "summary{cursor:pointer;color:var(--accent)}\n"
    "pre{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;"
    "overflow:auto;font:13px/1.5 ui-monospace,monospace;max-height:40rem;overflow-wrap:normal}\n"
    "code{font-family:ui-monospace,monospace;font-size:.92em}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.25rem;margin:.5rem 0}\n"
    "dt{color:var(--soft)}dt::first-letter{text-transform:uppercase}\ndd{margin:0}\n"
    "footer{padding:2.5rem 1.25rem;color:var(--soft);font-size:.88rem}\n"
    "@media(max-width:40rem){"
    "h1{font-size:1.6rem}header,main,footer{padding-left:.9rem;padding-right:.9rem}"
    "th,td{padding:.3rem .5rem}figure{padding:.4rem}.draw "
    "svg{min-width:32rem}th[scope=row]{max-width:9rem}}\n"
    "@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--line:#bbb;--card:#f4f4f4;"
    "--best:#e8e8e8}body{font-size:10pt}nav{display:none}.box,pre{overflow:visible;"
    "max-height:none}thead,th[scope=row]{position:static}figure,tr{break-inside:avoid}"
    "figure svg{filter:none}th,td{white-space:normal;"
    "padding:.15rem .3rem}h2,h3{break-after:avoid}table{font-size:8pt}"
    "th button::after{content:\"\"}}\n";

/* Columns are sorted by when their heading is pressed: by numbers where there are some ("12 %", "1
 * min 05 s"), else as text. Without it, everything can be read as it is. */
static const char script[] =
    "(function(){'use strict';\n"
    "var units={ms:.001,s:1,min:60,h:3600,days:86400};\n"
    "function value(cell){var t=cell?cell.textContent.trim():'',m,sum=0,any=false;\n"
    " var u=/([\\d.]+) (ms|s|min|h|days)\\b/g;\n"
    " while((m=u.exec(t))){sum+=parseFloat(m[1])*units[m[2]];any=true}\n"
    " if(any)return sum;\n"
    " var n=t.replace(/,/g,'');\n"
    " return /^[-+]?[\\d.]/.test(n)?parseFloat(n):t}\n"
    "function compare(a,b){\n"
    " if(typeof a!==typeof b)return typeof a==='number'?-1:1;\n"
    " return typeof a==='number'?a-b:a.localeCompare(b)}\n"
    "document.querySelectorAll('table.sort').forEach(function(table){\n"
    " table.querySelectorAll('th[data-c]').forEach(function(th){\n"
    "  var button=document.createElement('button'),c=+th.dataset.c;\n"
    "  button.type='button';button.textContent=th.textContent;\n"
    "  th.textContent='';th.appendChild(button);\n"
    "  button.addEventListener('click',function(){\n"
    "   var down=th.getAttribute('aria-sort')==='ascending',body=table.tBodies[0];\n"
    "   table.querySelectorAll('th[aria-sort]').forEach(function(o){"
    "o.removeAttribute('aria-sort')});\n"
    "   th.setAttribute('aria-sort',down?'descending':'ascending');\n"
    "   Array.from(body.rows).map(function(r,i){return{r:r,i:i,v:value(r.cells[c])}})\n"
    "    .sort(function(a,b){return(down?-1:1)*compare(a.v,b.v)||a.i-b.i})\n"
    "    .forEach(function(o){body.appendChild(o.r)})})})})})();\n";

void edgefw__page_head(const char *title, const char *lead, const edgefw__text *links,
                       edgefw__text *html) {
  edgefw__text_add(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width, "
                         "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
                         "dark\">\n");
  edgefw__html_element(html, "title", title);
  edgefw__text_add(html, "\n<style>\n%s</style>\n</head>\n<body>\n<header>\n", style);
  edgefw__html_element(html, "h1", title);
  edgefw__text_add(html, "\n");
  edgefw__html_element(html, "p class=\"lead\"", lead);
  if (links->length > 0)
    edgefw__text_add(html, "\n<nav aria-label=\"Sections\">\n%s</nav>", links->data);
  edgefw__text_add(html, "\n</header>\n<main>\n");
}

void edgefw__page_foot(edgefw__text *html) {
  edgefw__text_add(html,
                   "</main>\n<footer>Written by edgefw. Everything on this page is in this "
                   "file.</footer>\n<script>\n%s</script>\n</body>\n</html>\n",
                   script);
}
