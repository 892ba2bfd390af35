"""Move the rules in the settings of a project to the first version of the project's policy."""

from django.db import migrations

ACTIONS = ("allow", "ask", "deny")
REASON = "Taken over from the project's settings."
MOST_RULES = 500
LONGEST_PATTERN = 2000


def move_rules(apps, _schema_editor):
    """Move the rules of each project from its settings into its first policy, unless it has a policy already. A value
    that is not a list of valid rules stays in the settings and is ignored from now on."""
    Project = apps.get_model("tenancy", "Project")
    PolicyVersion = apps.get_model("tools_app", "PolicyVersion")
    for project in Project.objects.all():
        rules = rules_of(project.config.get("permission") if isinstance(project.config, dict) else None)
        place = f"prj_{project.pk.hex}"
        if not rules or PolicyVersion.objects.filter(place=place).exists():
            continue
        PolicyVersion.objects.create(place=place, version=1, project=project, rules=rules, reason=REASON)
        project.config = {key: value for key, value in project.config.items() if key != "permission"}
        project.save(update_fields=["config"])


def rules_of(block):
    """Return the rules of a block in order; empty if any part of it is not a valid rule."""
    if isinstance(block, str):
        block = {"*": block}
    if not isinstance(block, dict):
        return []
    rules = []
    for permission, value in block.items():
        patterns = {"*": value} if isinstance(value, str) else value
        if not isinstance(patterns, dict):
            return []
        rules += [{"permission": permission, "pattern": pattern, "action": patterns[pattern]} for pattern in patterns]
    return rules if len(rules) <= MOST_RULES and all(map(is_rule, rules)) else []


def is_rule(rule):
    named = 0 < len(rule["permission"]) <= 100 and 0 < len(rule["pattern"]) <= LONGEST_PATTERN
    return named and rule["action"] in ACTIONS


class Migration(migrations.Migration):
    dependencies = [
        ("tools_app", "0001_policies"),
    ]

    operations = [
        migrations.RunPython(move_rules, migrations.RunPython.noop),
    ]
