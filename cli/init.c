/*
 * init: propose gates for this project, from its build files.
 *
 * The commands of a proposal do not run before it is written and a person has trusted it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "settings-file.h"
#include "sys/dir.h"
#include "sys/file.h"
#include "json/json.h"

struct proposal {
	struct buf text;
	size_t gates;
	struct strings seen; /* the build files that were found */
};

static bool
exists(const char *dir, const char *name)
{
	char *path = mem_printf("%s/%s", dir, name);
	bool is = access(path, R_OK) == 0;

	free(path);
	return is;
}

/* The file's text ("" if there is none); owned. */
static char *
read_project_file(const char *dir, const char *name)
{
	char *path = mem_printf("%s/%s", dir, name);
	struct buf text = { 0 };
	struct error err;

	if (file_read_path(path, 1u << 20, &text, &err) != 1)
		buf_reset(&text);
	free(path);
	buf_puts(&text, "");
	return buf_take(&text);
}

/* Does a line begin with this word and a colon (a target, a recipe)? */
static bool
has_target(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = text; p != NULL && *p != '\0'; p = strchr(p, '\n'), p += p != NULL) {
		const char *q = p + len;

		if (strncmp(p, name, len) == 0 && *(q += strspn(q, " \t")) == ':' && q[1] != '=')
			return true;
	}
	return false;
}

static void
add_gate(struct proposal *p, const char *name, const char *run, const char *more)
{
	buf_printf(&p->text, "%s    { \"name\": \"%s\", \"run\": %s%s%s }",
	    p->gates > 0 ? ",\n" : "", name, run, more != NULL ? ", " : "",
	    more != NULL ? more : "");
	p->gates++;
}

static void
make_gates(struct proposal *p, const char *dir)
{
	static const char *const files[] = { "Makefile", "makefile", "GNUmakefile" };
	char *text = NULL;

	for (size_t i = 0; i < 3 && text == NULL; i++)
		if (exists(dir, files[i]))
			text = read_project_file(dir, files[i]);
	if (text == NULL)
		return;
	strings_add(&p->seen, "Makefile");
	if (has_target(text, "check"))
		add_gate(p, "test", "[\"make\", \"check\"]", "\"timeout\": 300");
	else if (has_target(text, "test"))
		add_gate(p, "test", "[\"make\", \"test\"]", "\"timeout\": 300");
	if (has_target(text, "lint"))
		add_gate(p, "lint", "[\"make\", \"lint\"]", "\"severity\": \"warn\"");
	free(text);
}

static void
npm_gates(struct proposal *p, const char *dir)
{
	const char *runner = exists(dir, "pnpm-lock.yaml") ? "pnpm"
			     : exists(dir, "yarn.lock")    ? "yarn"
			     : exists(dir, "bun.lockb")    ? "bun"
							   : "npm";
	struct json j = { 0 };
	struct error err;
	char *text, *script, *run;
	json_ref scripts;

	if (!exists(dir, "package.json"))
		return;
	strings_add(&p->seen, "package.json");
	text = read_project_file(dir, "package.json");
	if (json_parse(&j, text, strlen(text), &err) == 0) {
		static const struct {
			const char *name, *more;
		} known[] = { { "test", "\"timeout\": 300" }, { "typecheck", NULL },
			{ "lint", "\"severity\": \"warn\"" } };

		scripts = json_member(&j, JSON_ROOT, "scripts");
		for (size_t i = 0; i < 3; i++) {
			script = json_member_string(&j, scripts, known[i].name);
			/* npm's placeholder always fails */
			if (script != NULL && strstr(script, "no test specified") == NULL) {
				run =
				    mem_printf("[\"%s\", \"run\", \"%s\"]", runner, known[i].name);
				add_gate(p, known[i].name, run, known[i].more);
				free(run);
			}
			free(script);
		}
	}
	json_free(&j);
	free(text);
}

static void
python_gates(struct proposal *p, const char *dir)
{
	char *text = read_project_file(dir, "pyproject.toml");
	bool pytest = strstr(text, "pytest") != NULL || exists(dir, "pytest.ini") ||
		      exists(dir, "conftest.py") || exists(dir, "tests/conftest.py");

	if (*text != '\0' || exists(dir, "setup.py") || exists(dir, "setup.cfg"))
		strings_add(&p->seen, *text != '\0' ? "pyproject.toml" : "setup.py");
	else if (!pytest)
		goto out;
	if (pytest)
		add_gate(
		    p, "test", "[\"python3\", \"-m\", \"pytest\", \"-q\"]", "\"timeout\": 300");
	else
		add_gate(p, "test", "[\"python3\", \"-m\", \"unittest\"]", "\"timeout\": 300");
	if (strstr(text, "[tool.ruff") != NULL)
		add_gate(p, "lint", "[\"ruff\", \"check\"]", "\"severity\": \"warn\"");
	if (strstr(text, "[tool.mypy") != NULL)
		add_gate(p, "types", "[\"mypy\", \".\"]", "\"severity\": \"warn\"");
out:
	free(text);
}

/* One file, one command. */
static void
simple_gates(struct proposal *p, const char *dir)
{
	static const struct {
		const char *file, *name, *run, *more;
	} known[] = {
		{ "Cargo.toml", "test", "[\"cargo\", \"test\", \"--quiet\"]", "\"timeout\": 300" },
		{ "Cargo.toml", "lint", "[\"cargo\", \"clippy\", \"--quiet\"]",
		    "\"severity\": \"warn\"" },
		{ "go.mod", "test", "[\"go\", \"test\", \"./...\"]", "\"timeout\": 300" },
		{ "go.mod", "vet", "[\"go\", \"vet\", \"./...\"]", "\"severity\": \"warn\"" },
		{ "build/CTestTestfile.cmake", "test",
		    "[\"ctest\", \"--test-dir\", \"build\", \"--output-on-failure\"]",
		    "\"timeout\": 300" },
		{ "build/meson-info", "test", "[\"meson\", \"test\", \"-C\", \"build\"]",
		    "\"timeout\": 300" },
		{ "gradlew", "test", "[\"./gradlew\", \"test\"]", "\"timeout\": 500" },
		{ "pom.xml", "test", "[\"mvn\", \"-q\", \"test\"]", "\"timeout\": 500" },
		{ "mix.exs", "test", "[\"mix\", \"test\"]", "\"timeout\": 300" },
		{ ".rspec", "test", "[\"bundle\", \"exec\", \"rspec\"]", "\"timeout\": 300" },
		{ "phpunit.xml", "test", "[\"vendor/bin/phpunit\"]", "\"timeout\": 300" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (exists(dir, known[i].file)) {
			if (!strings_has(&p->seen, known[i].file))
				strings_add(&p->seen, known[i].file);
			add_gate(p, known[i].name, known[i].run, known[i].more);
		}
}

/* A CMake project that was never built: the tests need the build first. */
static void
cmake_gates(struct proposal *p, const char *dir)
{
	if (!exists(dir, "CMakeLists.txt") || exists(dir, "build/CTestTestfile.cmake"))
		return;
	strings_add(&p->seen, "CMakeLists.txt");
	add_gate(p, "test",
	    "\"cmake -S . -B build && cmake --build build && ctest --test-dir build "
	    "--output-on-failure\"",
	    "\"timeout\": 500, \"writes\": [\"build/\"]");
}

static void
propose(struct proposal *p, const char *dir)
{
	char *just;

	buf_puts(&p->text,
	    "{\n  // What must pass before a task counts as completed; see task-hooks(5).\n"
	    "  \"gates\": [\n");
	make_gates(p, dir);
	if (p->gates == 0 && exists(dir, "justfile")) {
		just = read_project_file(dir, "justfile");
		strings_add(&p->seen, "justfile");
		if (has_target(just, "test"))
			add_gate(p, "test", "[\"just\", \"test\"]", "\"timeout\": 300");
		free(just);
	}
	/* A Makefile with tests comes before the tools of the language. */
	if (p->gates == 0) {
		npm_gates(p, dir);
		if (p->gates == 0)
			cmake_gates(p, dir);
		if (p->gates == 0)
			simple_gates(p, dir);
		if (p->gates == 0)
			python_gates(p, dir);
	}
	buf_puts(&p->text, p->gates > 0 ? "\n  ]\n}\n" : "  ]\n}\n");
}

static int
write_proposal(struct cli *c, const char *dir, const char *path, const struct proposal *p)
{
	char *claude = mem_printf("%s/.claude", dir);
	struct error err;
	int fd = dir_make(claude, 0777, &err), rc = -1;

	free(claude);
	if (fd != -1) {
		rc = file_replace(
		    fd, "task-hooks.json", p->text.data, p->text.len, 0, DURABILITY_FILE, &err);
		close(fd);
	}
	if (rc == -1)
		return cli_error(c, &err);
	if (!c->json)
		buf_printf(&c->out, "wrote %s; read it, then: claude-tasks trust\n", path);
	return EXIT_DONE;
}

int
init_main(struct cli *c)
{
	char *dir = project_dir(), *path = mem_printf("%s/.claude/task-hooks.json", dir);
	struct proposal p = { 0 };
	struct error err;
	struct json_object *o;
	int status = EXIT_DONE;

	propose(&p, dir);
	/* The hooks must accept the proposal. */
	if (config_check(path, p.text.data, p.text.len, &err) == -1) {
		status = cli_error(c, &err);
		goto out;
	}
	if (c->json) {
		o = out_object();
		out_string(o, "path", path);
		out_bool(o, "there", access(path, F_OK) == 0);
		out_strings(o, "found", &p.seen);
		out_int(o, "gates", (int64_t)p.gates);
		out_string(o, "text", buf_text(&p.text));
		cli_json(c, o);
	} else {
		if (p.gates == 0)
			cli_note(
			    c, "claude-tasks: no test command detected; fill in the gates by hand");
		buf_add(&c->out, p.text.data, p.text.len);
	}
	if (cli_flag(c, "suggest"))
		goto out;
	if (access(path, F_OK) == 0)
		status = cli_fail(c, EXIT_RULE,
		    "%s exists and was not changed (edit it, or print the proposal: claude-tasks "
		    "init --suggest)",
		    path);
	else if (!cli_confirm(c, "write this to .claude/task-hooks.json?"))
		status = c->status;
	else
		status = write_proposal(c, dir, path, &p);
out:
	buf_free(&p.text);
	strings_free(&p.seen);
	free(path);
	free(dir);
	return status;
}
