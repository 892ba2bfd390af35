from datetime import date

from sessions_app.agent.built_in import BUILD, PLAN
from sessions_app.agent.prompt import AgentEnvironment, system_prompt

AROUND = AgentEnvironment(project="Tea shop", model="demo", today=date(2026, 1, 2))


def test_the_agents_own_words_come_first() -> None:
    assert system_prompt(PLAN, AROUND).startswith(PLAN.prompt)


def test_the_agent_learns_where_it_is() -> None:
    text = system_prompt(BUILD, AROUND)
    for fact in ("Project: Tea shop", "/workspace", "Model: demo", "Date: 2026-01-02", "without network"):
        assert fact in text


def test_instruction_files_follow_with_their_names() -> None:
    files = [{"path": "AGENTS.md", "text": "Use tabs."}, {"path": "docs/AGENTS.md", "text": "Be brief."}]
    text = system_prompt(BUILD, AgentEnvironment("Tea shop", "demo", date(2026, 1, 2), files))
    assert text.index("from AGENTS.md:\nUse tabs.") < text.index("from docs/AGENTS.md:\nBe brief.")


def test_skills_are_listed_with_what_they_are_good_for() -> None:
    skills = [{"name": "pdf", "description": "Fills in forms"}]
    text = system_prompt(BUILD, AgentEnvironment("Tea shop", "demo", date(2026, 1, 2), skills=skills))
    assert text.endswith("before you begin.\n- pdf: Fills in forms")
    assert "Skills" not in system_prompt(BUILD, AROUND)
