/* edgefw report: the page of a run, and several runs joined. */
#include "base/atomic_file.h"
#include "base/path.h"
#include "cli/cli.h"
#include "report/joined_tables.h"
#include "report/page.h"

static const edgefw__argument options[] = {
    {"--output", "-o", "FILE.html",
     "write the page there (default: RUN/report.html of one run, "
     "no page of several)"},
    {0}};

static edgefw_status write_page(edgefw__cli *cli, const char *path, edgefw__text *html) {
  if (html->failed) return edgefw_failure(cli->ctx);
  return edgefw__write_file(cli->ctx, path, edgefw__text_get(html), html->length);
}

/* The page of one run, in its folder or elsewhere. */
static edgefw_status report_one(edgefw__cli *cli, const char *folder, const char *output) {
  edgefw_status status = EDGEFW_OK;
  const char *path = output ? output : edgefw__path_join(cli->arena, folder, EDGEFW__PAGE_FILE);
  if (!path) return edgefw_failure(cli->ctx);
  if (output) {
    edgefw__run_record record;
    edgefw__text html = {.ctx = cli->ctx};
    status = edgefw__run_record_read(cli->ctx, cli->arena, folder, &record);
    if (status == EDGEFW_OK) status = edgefw__page_make(cli->ctx, cli->arena, &record, &html);
    if (status == EDGEFW_OK) status = write_page(cli, output, &html);
    edgefw__text_release(&html);
  } else {
    bool changed = false;
    status = edgefw__page_write(cli->ctx, folder, &changed);
  }
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = cli->ctx};
  edgefw__text_add(&text, "%s\n", path);
  return edgefw__cli_print(cli, &text);
}

/* Tables on stdout; the page first, so that a table is a sign of success. */
static edgefw_status report_several(edgefw__cli *cli, const edgefw__arguments *arguments,
                                    const char *output) {
  edgefw__joined joined;
  edgefw__text tables = {.ctx = cli->ctx}, html = {.ctx = cli->ctx};
  edgefw_status status =
      edgefw__joined_read(cli->ctx, cli->arena, arguments->words, arguments->word_count, &joined);
  if (status == EDGEFW_OK) status = edgefw__joined_tables(&joined, EDGEFW__REPORT_PLAIN, &tables);
  if (status == EDGEFW_OK && output) {
    status = edgefw__joined_page(&joined, &html);
    if (status == EDGEFW_OK) status = write_page(cli, output, &html);
  }
  edgefw__text_release(&html);
  if (status == EDGEFW_OK) return edgefw__cli_print(cli, &tables);
  edgefw__text_release(&tables);
  return status;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  const char *output = edgefw__arguments_value(arguments, "--output", NULL);
  if (arguments->word_count == 0)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "RUN is missing; see 'edgefw help report'");
  return arguments->word_count == 1 ? report_one(cli, arguments->words[0], output)
                                    : report_several(cli, arguments, output);
}

const edgefw__command edgefw__command_report = {
    .name = "report",
    .summary = "the page of a run; several runs joined, with tests",
    .usage = "RUN... [-o FILE.html]",
    .details =
        "A RUN is a run directory (runs/NAME). Of one, its report.html is written anew: tables,\n"
        "figures, training, instances and configuration in one file, as edgefw run leaves it.\n"
        "Nothing else in the folder is touched, and no plugin is needed.\n"
        "\n"
        "Several runs are seeds of one experiment. Printed are mean and standard deviation of "
        "each\n"
        "variant on each set, and whether variants differ: Student's t and Wilcoxon's signed "
        "ranks\n"
        "on the seeds, and signed ranks on the instances. Runs of different problems, variants,\n"
        "test sets or keys are refused with what differs, and so is one run given twice. -o "
        "writes\n"
        "the same as a page.\n",
    .options = options,
    .run = command};
