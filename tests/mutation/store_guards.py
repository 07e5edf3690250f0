"""The guards of what writes (runner/store), of the database itself (runner/triggers.py) and of workers and sweepers."""

from __future__ import annotations

from tests.mutation.guard import Guard

TRANSACTIONS, WRITER = "runner/store/transactions.py", "runner/store/writer.py"
CLAIMS, SWEEPING = "runner/store/claims.py", "runner/store/sweeping.py"
STOPS, PURGE, TRIGGERS = "runner/store/stops.py", "runner/store/purge.py", "runner/triggers.py"
STEPS = "runner/services/steps.py"

_TESTS = "tests/integration/runner"
GUARDED = f"{_TESTS}/test_guards.py"
RACES, RUNS, ATTEMPTS = f"{_TESTS}/test_races.py", f"{_TESTS}/test_runs.py", f"{_TESTS}/test_attempts.py"
TRIGGER_TESTS, STOP_TESTS = f"{_TESTS}/test_triggers.py", f"{_TESTS}/test_stops.py"
SWEEPER_TESTS = f"{_TESTS}/test_sweeper.py"

LOCK_AND_WRITES = (
    Guard(
        "lock: status of the run",
        TRANSACTIONS,
        'WHERE id = %s AND status IN ({among})"',
        'WHERE id = %s"',
        "a transaction begins on a run that has ended",
        tests=(f"{GUARDED}::test_an_ended_run_is_not_locked",),
    ),
    Guard(
        "lock: what is remembered is current",
        TRANSACTIONS,
        'f"{lock} AND rev = %s RETURNING',
        'f"{lock} AND %s >= 0 RETURNING',
        "a worker goes on from rows that somebody else has changed",
        tests=(f"{RACES}::test_a_memory_is_used_only_while_nobody_else_wrote",),
    ),
    Guard(
        "start: idempotency key",
        TRANSACTIONS,
        "if execute(insert, params) != 1:",
        "if execute(insert, params) > 1:",
        "the same request starts two runs",
        tests=(f"{GUARDED}::test_a_key_that_somebody_uses_at_the_same_moment_starts_one_run",),
    ),
    Guard(
        "write: step as it was read",
        WRITER,
        "WHERE id = %s AND status = %s AND fence = %s",
        "WHERE id = %s AND %s <> '' AND %s >= 0",
        "a step row that something else wrote is overwritten",
        tests=(f"{GUARDED}::test_a_row_that_changed_after_it_was_read_is_not_overwritten[fence]",),
    ),
    Guard(
        "write: approval still open",
        WRITER,
        "WHERE id = %s AND status = 'open'",
        "WHERE id = %s",
        "a decided approval is decided again",
        tests=(f"{GUARDED}::test_a_row_that_changed_after_it_was_read_is_not_overwritten[approval]",),
    ),
    Guard(
        "write: arrival still waiting",
        WRITER,
        "AND branch = %s AND count = %s AND status = 'waiting'",
        "AND branch = %s AND count = %s",
        "an arrival is used twice",
        tests=(f"{GUARDED}::test_a_row_that_changed_after_it_was_read_is_not_overwritten[arrival]",),
    ),
    Guard(
        "write: signal not yet taken",
        WRITER,
        "AND n = %s AND taken_by IS NULL",
        "AND n = %s",
        "a signal is taken twice",
        tests=(f"{GUARDED}::test_a_row_that_changed_after_it_was_read_is_not_overwritten[signal]",),
    ),
    Guard(
        "write: rows that changed meanwhile",
        WRITER,
        "            if writing.guarded and touched != len(writing.rows):\n",
        "            if False:\n",
        "a write that met nothing is taken for one that did",
        tests=(f"{GUARDED}::test_a_row_that_changed_after_it_was_read_is_not_overwritten[fence]",),
    ),
)

CLAIMS_AND_SWEEPS = (
    Guard(
        "lease: renewed by its fence",
        CLAIMS,
        "WHERE id = %s AND fence = %s AND status = 'running' RETURNING",
        "WHERE id = %s AND %s >= 0 AND status = 'running' RETURNING",
        "a worker that lost its claim keeps it alive",
        tests=(f"{GUARDED}::test_a_lease_is_renewed_by_whoever_holds_it_and_nobody_else",),
    ),
    Guard(
        "lease: renewed while it runs",
        CLAIMS,
        "AND fence = %s AND status = 'running' RETURNING",
        "AND fence = %s RETURNING",
        "a heartbeat says go on to a step that has ended",
        tests=(f"{GUARDED}::test_a_lease_is_renewed_by_whoever_holds_it_and_nobody_else",),
    ),
    Guard(
        "claim: looked up after a doubtful commit",
        CLAIMS,
        "is_held = status == StepStatus.RUNNING and current == fence",
        "is_held = status == StepStatus.RUNNING",
        "a worker takes another one's claim for its own",
        tests=(f"{GUARDED}::test_a_lease_is_renewed_by_whoever_holds_it_and_nobody_else",),
    ),
    Guard(
        "leases of the dead: this worker's",
        CLAIMS,
        "WHERE worker = %s AND status",
        "WHERE worker <> %s AND status",
        "the claims of living workers are taken away",
        tests=(f"{GUARDED}::test_only_the_leases_of_the_dead_are_ended",),
    ),
    Guard(
        "late result: the first is kept",
        CLAIMS,
        "WHERE id = %s AND late_output IS NULL",
        "WHERE id = %s",
        "a late result is overwritten by a later one",
        tests=(f"{GUARDED}::test_of_two_late_results_the_first_is_kept",),
    ),
    Guard(
        "pending: due",
        CLAIMS,
        "status = 'pending' AND not_before <= {now_sql()}",
        "status = 'pending' AND {now_sql()} > 0",
        "a step in its back-off is handed on",
        tests=(f"{GUARDED}::test_a_step_in_its_back_off_is_not_pending_yet",),
    ),
    Guard(
        "hint: taken for a while",
        SWEEPING,
        "WHERE s.status = 'pending' AND s.hint_at <= {now} AND",
        "WHERE s.status = 'pending' AND",
        "every sweep hands on everything again",
        tests=(f"{SWEEPER_TESTS}::test_two_sweepers_do_not_hand_on_the_same_step",),
    ),
    Guard(
        "hint: the run is active",
        SWEEPING,
        ' AND r.status = \'active\'"\n            f" AND NOT {RUN_IS_STOPPED}"  # what',
        '"\n            f" AND NOT {RUN_IS_STOPPED}"  # what',
        "paused runs keep the queue full",
        tests=(f"{SWEEPER_TESTS}::test_hints_of_a_paused_run_wait_and_come_with_its_resume",),
    ),
    Guard(
        "hint: not what is stopped",
        SWEEPING,
        '            f" AND NOT {RUN_IS_STOPPED}"  # what',
        '            ""  # what',
        "stopped runs keep the queue full",
        tests=(f"{STOP_TESTS}::test_the_sweeper_hands_on_what_was_stopped_once_it_is_released",),
    ),
    Guard(
        "sweep: lease over",
        SWEEPING,
        "s.status = 'running' AND s.lease_expires_at <= {now_sql()}",
        "s.status = 'running' AND {now_sql()} > 0",
        "every sweep asks about every running step",
        tests=(f"{GUARDED}::test_only_the_leases_of_the_dead_are_ended",),
    ),
    Guard(
        "sweep: timer due",
        SWEEPING,
        "t.status = 'armed' AND t.due_at <= {now_sql()}",
        "t.status = 'armed' AND {now_sql()} > 0",
        "every sweep asks about every timer",
        tests=(f"{GUARDED}::test_timers_are_found_when_they_are_due_and_not_while_a_person_has_paused_the_run",),
    ),
    Guard(
        "sweep: timers of paused runs",
        SWEEPING,
        "        f\" AND NOT (r.status = 'paused' AND t.kind IN {_MOVED_BY_PAUSE}){only}\"\n",
        '        f"{only}"\n',
        "timers of paused runs keep the others from their turn",
        tests=(f"{GUARDED}::test_timers_are_found_when_they_are_due_and_not_while_a_person_has_paused_the_run",),
    ),
    Guard(
        "claim: incident switch",
        STEPS,
        "step.status not in _CLAIMABLE or self._is_stopped(work, step):",
        "step.status not in _CLAIMABLE:",
        "what was stopped goes on",
        tests=(f"{STOP_TESTS}::test_running_work_stops_at_its_next_claim_and_loses_nothing",),
    ),
    Guard(
        "report: late",
        STEPS,
        "is_late = step is None or step.status is not StepStatus.RUNNING or step.fence != command.fence",
        "is_late = step is None",
        "a late result is not kept beside its row",
        tests=(f"{RACES}::test_whoever_lost_the_claim_reports_in_vain",),
    ),
    Guard(
        "report: whose result is refused",
        STEPS,
        "if refused.command is command:",
        "if refused.command is not None:",
        "a step fails for what another one beside it gave",
        tests=(f"{_TESTS}/test_siblings.py::test_a_leaf_whose_result_the_engine_cannot_take_fails_alone",),
    ),
    Guard(
        "stop: once",
        STOPS,
        ' WHERE id = %s AND released_at IS NULL",',
        ' WHERE id = %s",',
        "a second release rewrites who released",
        tests=(f"{GUARDED}::test_a_stop_is_released_once",),
    ),
    Guard(
        "wake: due",
        STOPS,
        "hint_at > {now} AND not_before <= {now} AND",
        "hint_at > {now} AND",
        "a release wakes what is in its back-off",
        tests=(f"{STOP_TESTS}::test_a_step_in_its_back_off_is_not_woken_by_a_release",),
    ),
)

DELETION = (
    Guard(
        "purge: the run has ended",
        PURGE,
        "if status not in {ended.value for ended in RUN_ENDED}:",
        "if False:",
        "a run is deleted under its workers",
        tests=(f"{TRIGGER_TESTS}::test_a_run_that_has_not_ended_is_not_purged",),
    ),
    Guard(
        "purge: a ticket",
        PURGE,
        '        cursor.execute(\n            "INSERT INTO runner_purgeticket',
        '        0 and cursor.execute(\n            "INSERT INTO runner_purgeticket',
        "nobody knows who deleted a run, and why",
        tests=(f"{TRIGGER_TESTS}::test_a_ticket_opens_one_run_to_deletion_and_stays",),
    ),
    Guard(
        "purge: a reason",
        PURGE,
        "if not reason.strip():",
        "if False:",
        "nobody knows why a run was deleted",
        tests=(f"{GUARDED}::test_nothing_is_purged_without_a_reason",),
    ),
    Guard(
        "database: ended steps never change",
        TRIGGERS,
        'Rule("runner_steprun", "UPDATE", "an ended step run never changes", when=ended),',
        "",
        "what a run has recorded is rewritten",
        tests=(f"{TRIGGER_TESTS}::test_what_a_run_recorded_cannot_be_changed",),
    ),
    Guard(
        "database: rows of runs never change",
        TRIGGERS,
        'rules.append(Rule(table, "UPDATE", f"{noun} never changes"))',
        "pass",
        "events, decisions and signatures are rewritten",
        tests=(f"{TRIGGER_TESTS}::test_what_a_run_recorded_cannot_be_changed",),
    ),
    Guard(
        "database: rows of runs stay",
        TRIGGERS,
        'rules.append(Rule(table, "DELETE", message, unless=_purged("run_id")))',
        "pass",
        "events are deleted one by one",
        tests=(f"{TRIGGER_TESTS}::test_what_a_run_recorded_cannot_be_changed",),
    ),
    Guard(
        "database: a run stays",
        TRIGGERS,
        'Rule("runner_run", "DELETE", "a run is deleted with a purge ticket only", unless=_purged("id")),',
        "",
        "a run is deleted without a trace",
        tests=(f"{GUARDED}::test_the_database_itself_refuses_to_delete_a_run",),
    ),
    Guard(
        "database: a ticket opens one run",
        TRIGGERS,
        "WHERE t.run_id = OLD.{column})",
        "WHERE OLD.{column} <> '')",
        "with one ticket all runs can be deleted",
        tests=(f"{TRIGGER_TESTS}::test_a_ticket_opens_one_run_to_deletion_and_stays",),
    ),
    Guard(
        "database: versions never change",
        TRIGGERS,
        'Rule("editor_flowversion", "UPDATE", "a flow version never changes; publish another one"),',
        "",
        "a run's flow changes under it",
        tests=(f"{TRIGGER_TESTS}::test_a_version_never_changes_and_stays_while_a_run_names_it",),
    ),
)

STORE_GUARDS = (*LOCK_AND_WRITES, *CLAIMS_AND_SWEEPS, *DELETION)
