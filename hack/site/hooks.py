"""What the site changes of a page that is written for a forge.

A fence has more words behind its language, which say how make docs-test treats it: they are taken off. A link that leads out
of docs/ becomes one to the repository. Comments of tests and diagrams go.
"""

import os
import re

import mkdocs.exceptions

FENCE = re.compile(r"^(\s*)```(\w+)[^\S\n][^\n]*$", re.MULTILINE)
OUTPUT = re.compile(r"^(\s*)```output$", re.MULTILINE)
LINK = re.compile(r"(\]\()([^)#\s:]+)((?:#[^)\s]*)?\))")
COMMENT = re.compile(r"^[ \t]*<!-- (?:test: .*|name: .*|diagram: \w+|end) -->\n", re.MULTILINE)


def on_page_markdown(markdown, page, config, files):
    docs = config["docs_dir"]
    root = os.path.dirname(docs)
    folder = os.path.dirname(page.file.abs_src_path)

    def leads(match):
        target = os.path.normpath(os.path.join(folder, match.group(2)))
        if target == docs or target.startswith(docs + os.sep):
            return match.group(0)
        if not os.path.exists(target):
            raise mkdocs.exceptions.PluginError(f"{page.file.src_path}: no {match.group(2)}")
        kind = "tree" if os.path.isdir(target) else "blob"
        path = os.path.relpath(target, root).replace(os.sep, "/")
        return f"{match.group(1)}{config['repo_url']}/{kind}/main/{path}{match.group(3)}"

    markdown = COMMENT.sub("", markdown)
    markdown = FENCE.sub(r"\1```\2", markdown)
    markdown = OUTPUT.sub(r"\1```text", markdown)
    return LINK.sub(leads, markdown)
