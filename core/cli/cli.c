/* The frame around the commands: arguments, context, plugins, messages, exit status. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "base/utf8.h"
#include "cli/signals.h"

const edgefw__argument edgefw__cli_global[] = {
    {"--plugin-path", NULL, "DIR", "look for plugins in DIR first; may be repeated"},
    {"--log", NULL, "LEVEL", "show log lines from debug, info (the default) or warning on"},
    {"--help", "-h", NULL, "help on the command"},
    {"--version", NULL, NULL, "versions of edgefw, its libraries and devices"},
    {0}};

/* --- Services --- */

edgefw_status edgefw__cli_folders(edgefw__cli *cli, const edgefw__arguments *arguments,
                                  const char *name, const char **out) {
  *out = NULL;
  const char *folder = NULL;
  for (int i = 0; (folder = edgefw__arguments_value_at(arguments, name, i)) != NULL; ++i) {
    *out = *out ? edgefw_arena_format(cli->arena, "%s:%s", *out, folder) : folder;
    if (!*out) return edgefw_failure(cli->ctx);
  }
  return EDGEFW_OK;
}

/* The ranks of this run, of which one alone speaks. */
static edgefw_status open_group(edgefw__cli *cli) {
  const edgefw_status status = edgefw__group_open(cli->ctx, cli->registry, &cli->group);
  if (cli->group) edgefw_set_local_rank(cli->ctx, cli->group->local_rank);
  if (!edgefw__group_leads(cli->group)) edgefw_set_log(cli->ctx, NULL, NULL);
  return status;
}

edgefw_status edgefw__cli_open(edgefw__cli *cli, const edgefw__arguments *arguments) {
  const char *path = NULL;
  edgefw_status status = edgefw__cli_folders(cli, arguments, "--plugin-path", &path);
  if (status == EDGEFW_OK) status = edgefw__registry_create(cli->ctx, path, &cli->registry);
  return status == EDGEFW_OK && cli->command->shares ? open_group(cli) : status;
}

edgefw_status edgefw__cli_blame_input(edgefw__cli *cli, edgefw_status status) {
  if (status == EDGEFW_OK || status == EDGEFW_OUT_OF_MEMORY || status == EDGEFW_INTERRUPTED)
    return status;
  char *message = edgefw_arena_text(cli->arena, edgefw_message(cli->ctx));
  if (!message) return status;
  edgefw_clear(cli->ctx);
  return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "%s", message);
}

edgefw_status edgefw__cli_print(edgefw__cli *cli, edgefw__text *text) {
  edgefw_status status = text->failed ? edgefw_failure(cli->ctx) : EDGEFW_OK;
  edgefw__live_clear(&cli->live);
  if (text->data) edgefw__utf8_clean(text->data, "\n\t"); /* names of files may hold anything */
  if (status == EDGEFW_OK &&
      (fwrite(edgefw__text_get(text), 1, text->length, stdout) != text->length ||
       fflush(stdout) != 0))
    status = edgefw_fail(cli->ctx, EDGEFW_IO, "cannot write to stdout: %s", strerror(errno));
  edgefw__text_release(text);
  return status;
}

/* --- Commands --- */

/* Is `name` "WORD REST"? Returns REST. */
static const char *behind(const char *name, const char *word) {
  const size_t length = strlen(word);
  return strncmp(name, word, length) == 0 && name[length] == ' ' ? name + length + 1 : NULL;
}

const edgefw__command *edgefw__cli_find(edgefw__cli *cli, const char *const *words, int count,
                                        int *used) {
  edgefw__nearest nearest = {.name = words[0]};
  bool group = false;
  for (const edgefw__command *const *c = cli->commands; *c; ++c) {
    const char *second = behind((*c)->name, words[0]);
    group |= second != NULL;
    *used = second ? 2 : 1;
    if (second ? count > 1 && strcmp(second, words[1]) == 0 : strcmp((*c)->name, words[0]) == 0)
      return *c;
    edgefw__nearest_try(&nearest, (*c)->name);
  }
  *used = 1;
  if (strcmp(words[0], "plugins") == 0 && count == 1) return &edgefw__command_plugins_list;
  char hint[64];
  if (group && count == 1)
    edgefw_fail(cli->ctx, EDGEFW_CONFIG, "'%s' needs a second word; see 'edgefw help'", words[0]);
  else
    edgefw_fail(cli->ctx, EDGEFW_CONFIG, "unknown command '%s%s%s'%s; see 'edgefw help'", words[0],
                group ? " " : "", group ? words[1] : "",
                group ? "" : edgefw__nearest_hint(&nearest, hint, sizeof hint));
  return NULL;
}

/* The words that begin the command line, options of all commands apart, name the command. */
static edgefw_status find_command(edgefw__cli *cli, int argc, char *const *argv, int *begin,
                                  int *used) {
  const char *words[2];
  int count = 0;
  for (int i = 1; i < argc && count < 2; ++i) {
    if (argv[i][0] != '-') {
      if (count == 0) *begin = i;
      if (count == 1 && i != *begin + 1) break;
      words[count++] = argv[i];
    } else if (count == 0 &&
               (strcmp(argv[i], "--plugin-path") == 0 || strcmp(argv[i], "--log") == 0)) {
      ++i; /* its value */
    }
  }
  *used = 0;
  if (count > 0) {
    cli->command = edgefw__cli_find(cli, words, count, used);
    return cli->command ? EDGEFW_OK : edgefw_failure(cli->ctx);
  }
  *begin = argc;
  cli->command = &edgefw__command_help;
  return EDGEFW_OK;
}

static edgefw_status set_log(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const names[] = {"debug", "info", "warning"};
  const char *level = edgefw__arguments_value(arguments, "--log", "info");
  for (int i = 0; i < 3; ++i)
    if (strcmp(level, names[i]) == 0) {
      cli->live.level = (edgefw_log_level)i;
      return EDGEFW_OK;
    }
  return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--log '%s': expected debug, info or warning", level);
}

static edgefw_status run_command(edgefw__cli *cli, int argc, char *const *argv) {
  int begin = argc, used = 0;
  edgefw_status status = find_command(cli, argc, argv, &begin, &used);
  if (status != EDGEFW_OK) return status;
  char **rest = edgefw_arena_take(cli->arena, (size_t)argc, sizeof *rest);
  const char *help = edgefw_arena_format(cli->arena, "edgefw help%s%s", used ? " " : "",
                                         used ? cli->command->name : "");
  if (!rest || !help) return edgefw_failure(cli->ctx);
  int count = 0;
  for (int i = 1; i < argc; ++i)
    if (i < begin || i >= begin + used) rest[count++] = argv[i];
  edgefw__arguments arguments;
  status = edgefw__arguments_parse(cli->ctx, cli->arena, cli->command->options, edgefw__cli_global,
                                   help, count, rest, &arguments);
  if (status == EDGEFW_OK) status = set_log(cli, &arguments);
  if (status != EDGEFW_OK) return status;
  if (edgefw__arguments_has(&arguments, "--version")) {
    cli->command = &edgefw__command_version;
    arguments.word_count = 0;
  } else if (edgefw__arguments_has(&arguments, "--help") && used > 0) {
    arguments.words = &cli->command->name;
    arguments.word_count = 1;
    cli->command = &edgefw__command_help;
  } else if (argc == 1) {
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "no command given; see 'edgefw help'");
  }
  return cli->command->run(cli, &arguments);
}

/* Would a terminal show the word as it is? */
static bool is_clean(const char *word) {
  for (size_t length; *word; word += length) {
    length = edgefw__utf8_length(word);
    if (length == 0 || edgefw__utf8_is_control(word, length)) return false;
  }
  return true;
}

/* A word of the command line, quoted for a shell where it needs it. */
static void print_word(const char *word) {
  if (!is_clean(word)) {
    fputs(" $'", stderr);
    for (; *word; ++word)
      if (*word >= ' ' && *word <= '~' && *word != '\'' && *word != '\\')
        fputc(*word, stderr);
      else
        fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)*word);
    fputc('\'', stderr);
  } else if (*word && !word[strcspn(word, " \t\n'\"\\$`*?[]{}()<>|&;#~!")]) {
    fprintf(stderr, " %s", word);
  } else {
    fputs(" '", stderr);
    for (; *word; ++word) fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stderr);
    fputc('\'', stderr);
  }
}

/* The command that goes on where this one stopped: the same words without --fresh. */
static void print_resume(const edgefw__cli *cli) {
  fputs("edgefw: go on with:", stderr);
  for (int i = 0; i < cli->argc; ++i)
    if (strcmp(cli->argv[i], "--fresh") != 0) print_word(cli->argv[i]);
  fputc('\n', stderr);
}

static int exit_status(edgefw_status status) {
  switch (status) {
  case EDGEFW_OK: return EDGEFW__EXIT_DONE;
  case EDGEFW_CONFIG:
  case EDGEFW_PLUGIN_FIND: return EDGEFW__EXIT_USAGE;
  case EDGEFW_INTERRUPTED: return EDGEFW__EXIT_INTERRUPTED;
  default: return EDGEFW__EXIT_FAILED;
  }
}

int edgefw__cli_main(const edgefw__command *const *commands, int argc, char *const *argv) {
  edgefw__cli cli = {.live = edgefw__live_begin(EDGEFW_LOG_INFO),
                     .commands = commands,
                     .argc = argc,
                     .argv = argv};
  if (edgefw_context_create(&cli.ctx, NULL) != EDGEFW_OK) {
    fputs("edgefw: out of memory\n", stderr);
    return EDGEFW__EXIT_FAILED;
  }
  edgefw_set_interrupt(cli.ctx, edgefw__signals_catch());
  edgefw_set_log(cli.ctx, edgefw__live_log, &cli.live);
  edgefw_status status = edgefw_arena_create(cli.ctx, &cli.arena, "command line", 1 << 12, true);
  if (status == EDGEFW_OK) status = run_command(&cli, argc, argv);
  edgefw__live_clear(&cli.live);
  /* What one rank says is enough, unless it stands alone. */
  const bool speaks = edgefw__group_leads(cli.group) || cli.group->out_of_step;
  if (status != EDGEFW_OK && *edgefw_message(cli.ctx) && speaks)
    fprintf(stderr, "edgefw: %s\n", edgefw_message(cli.ctx));
  if (cli.resumable && speaks) print_resume(&cli);
  edgefw__group_close(cli.group, exit_status(status));
  edgefw__registry_destroy(cli.registry);
  edgefw_arena_destroy(cli.arena);
  edgefw_context_destroy(cli.ctx);
  return exit_status(status);
}
