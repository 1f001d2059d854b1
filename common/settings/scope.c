#include "settings/scope.h"

#include "base/mem.h"

const char *
scope_name(enum scope s)
{
	static const char *const names[] = { "user", "project", "local", "managed" };

	return names[s];
}

char *
scope_path(enum scope s, const char *config, const char *project)
{
	switch (s) {
	case SCOPE_USER:
		return mem_printf("%s/settings.json", config);
	case SCOPE_PROJECT:
		return mem_printf("%s/.claude/settings.json", project);
	case SCOPE_LOCAL:
		return mem_printf("%s/.claude/settings.local.json", project);
	default:
		return mem_string("/etc/claude-code/managed-settings.json");
	}
}
