"""A session as valid PROV, in a named graph of its own, ``S#prov``.

What TrustGraph reads is not: in each of its shapes something derives from an activity, or an entity has a start
(PROV-CONSTRAINTS, section 6.4, constraints 50 and 55). So this view stands beside it, under IRIs of its own, fragments
of the session's:

================== ======== =======================================================================================
``#run``           Activity the session, by ``#agent``, according to ``#plan``, on behalf of ``#user``
``#question``      Entity   what was asked
``#i{n}-think``    Activity used the question, all that was observed before, and the thought before
``#i{n}-thought``  Entity   what was thought, and the action that was decided on, with its arguments
``#i{n}-act``      Activity used the thought, and was carried out by ``#tool-{name}``
``#i{n}-obs``      Entity   what came back
``#conclude``      Activity used the question, all that was observed, and the last thought
``#answer``        Entity   what was answered
================== ======== =======================================================================================

A retrieval has other entities, see :mod:`otel_prov.describe.prov.retrieved`; plans and delegated work have more,
:mod:`otel_prov.describe.prov.planned`. What came back of a session inside of a call derives from that one's
``#answer``.

The k-th call of an iteration, from the second, is ``#i{n}-act-{k}`` and comes back with ``#i{n}-obs-{k}``; its action
and arguments are ``#i{n}-thought-{k}``. The thought before the answer is that of an iteration behind the last one.

``prov:used`` says what was in reach, ``prov:wasDerivedFrom`` what was really used, where that was recorded. What
becomes known later only ever adds triples, so states of one session can be put together, and are valid together. So
nothing here says what may still change, such as that a session is running.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Final
from urllib.parse import quote

from otel_prov import names
from otel_prov.describe import uris
from otel_prov.describe.prov import planned
from otel_prov.describe.prov import terms as t
from otel_prov.describe.prov.facts import Fact, content, integer, literal, quad, text, types
from otel_prov.describe.prov.retrieved import answer_of, chunks, retrieved
from otel_prov.describe.prov.turns import RECORDED, Lane, iterations, synthesised
from otel_prov.describe.quads import Literal, Quad
from otel_prov.describe.times import written
from otel_prov.describe.vocabulary import RDFS_LABEL
from otel_prov.steps import Analysis, Conclusion, Observation, Question, Session, Step

__all__ = ["describe_prov"]

_RUN: Final = types(t.ACTIVITY, t.RUN)
_ASSOCIATION: Final = types(t.ASSOCIATION)
_PLAN: Final = types(t.ENTITY, t.PLAN)
_QUESTION: Final = types(t.ENTITY, t.QUESTION)
_THINK: Final = types(t.ACTIVITY, t.THINK)
_ASK: Final = types(t.ACTIVITY, t.THINK, t.AI_MODEL_INVOCATION)
_THOUGHT: Final = types(t.ENTITY, t.THOUGHT)
_ACT: Final = types(t.ACTIVITY, t.AGENT_TOOL)
_OBSERVATION: Final = types(t.ENTITY, t.OBSERVATION)
_CONCLUDE: Final = types(t.ACTIVITY, t.CONCLUDE)
_ANSWER: Final = types(t.ENTITY, t.ANSWER)
_AGENT: Final = types(t.AGENT, t.SOFTWARE_AGENT, t.AI_AGENT)
_MODEL: Final = types(t.AGENT, t.SOFTWARE_AGENT, t.AI_MODEL)
_TOOL: Final = types(t.AGENT, t.SOFTWARE_AGENT, t.TOOL)
_USER: Final = types(t.AGENT, t.PERSON)


def describe_prov(session: Session) -> list[Quad]:
    """The session's PROV view: each statement once, those about one node together, in the order of what happened."""
    return _View(session).quads


class _View:
    """One session's quads, and what of it is in reach of what comes next."""

    def __init__(self, session: Session) -> None:
        self.quads: list[Quad] = []
        self._session = session
        self._explanation = uris.legal(session.uri)
        self._base = uris.fragments(self._explanation)
        self._graph = self._base + "prov"
        self._over = session.outcome is not None and session.outcome != "running"
        self._in_reach: list[Fact] = []
        self._outside: list[Fact] = []  # of that, what belongs to no step or part
        self._lanes: dict[str | None, Lane] = {}
        self._steps = planned.activities(session, self._base)
        self._seen: dict[int, list[str]] = {}
        self._agent, self._whole = self._iri("agent"), self._iri("run")
        self._user = self._iri("user") if session.user else None
        self._model = self._iri("model-" + quote(session.model, safe="")) if session.model else None
        final = uris.final if session.conclusion else partial(uris.stage, name=uris.SYNTHESIS)
        self._explained = final(self._explanation)
        self._part: Fact = (t.PART_OF, self._whole)
        self._thinker: tuple[Fact, ...] = (t.ASSOCIATED_WITH, self._agent), (t.ASSOCIATED_WITH, self._model)
        self._tools: dict[str, str] = {}
        self._latest: tuple[datetime, Literal] = datetime.min, Literal("")
        self._run()
        for node, facts in planned.plans(session, self._base):
            self._node(node, *facts)
        last = 0
        for number, analysis, observations in iterations(session):
            within = analysis.within if analysis else None
            lane = self._lanes.setdefault(within, Lane())
            if within is None and number != lane.last + 1:
                lane.thought, lane.acts = None, []  # those of the iteration before are not known
            self._iteration(number, analysis, observations, lane)
            last = lane.last = number
        self._parts()
        lane = self._lanes.setdefault(None, Lane())
        if (conclusion := session.conclusion or synthesised(session)) is not None:
            if conclusion.iteration not in (None, last + 1) or lane.last != last:
                lane.thought, lane.acts = None, []
            self._conclude(conclusion, conclusion.iteration or last + 1, lane)
        for node, facts in retrieved(session, self._base):
            self._node(node, *facts)
        self._agents()

    def _run(self) -> None:
        session, question = self._session, next(self._session.of(Question), None)
        run, agent = self._whole, self._agent
        plan = self._iri("plan") if session.agent and session.kind == names.AGENT else None
        association = self._iri("association") if plan else None
        asked = self._iri("question") if question else None
        self._node(
            run,
            *_RUN,
            *self._times(question.started if question else None, session.ended),
            (t.USED, asked),
            *((t.USED, chunk) for chunk in chunks(session)),
            (t.ASSOCIATED_WITH, agent),
            (t.QUALIFIED_ASSOCIATION, association),
            (t.OUTCOME, text(session.outcome if session.outcome in RECORDED else None)),
            (t.ERROR, text(session.error)),
            (t.TRACE_ID, text(session.trace_id)),
            (t.SPAN_ID, text(question.span_id if question else None)),
            (t.EXPLAINED_BY, self._explanation),
        )
        if association:
            self._node(association, *_ASSOCIATION, (t.HAS_AGENT, agent), (t.HAD_PLAN, plan))
            self._node(plan or "", *_PLAN, (RDFS_LABEL, text(session.agent)), (t.VERSION, text(session.version)))
        if question and asked:
            self._in_reach.append((t.USED, asked))
            self._outside.append((t.USED, asked))
            self._node(
                asked,
                *_QUESTION,
                *content(question.text, question.digest),
                (t.ATTRIBUTED_TO, self._user),
                (t.EXPLAINED_BY, self._explanation),
            )

    def _iteration(
        self, number: int, analysis: Analysis | None, observations: dict[int, Observation], lane: Lane
    ) -> None:
        """What was thought, then each tool call with what came back."""
        first, place = observations.get(1), (t.ITERATION, integer(number))
        within = analysis.within if analysis else None
        part = (t.PART_OF, self._steps.get(within, self._whole))
        thought = None
        if analysis:
            thought = self._think(number, analysis, lane, part)
            if analysis.action is not None and first is None:
                observations = {1: Observation(number, started=analysis.ended), **observations}
        lane.thought, lane.acts = thought, []
        seen: list[str] = []
        for call, observation in observations.items():
            suffix = "" if call == 1 else f"-{call}"
            act, decision, tool = self._iri(f"i{number}-act{suffix}"), thought, analysis.action if analysis else None
            if call > 1:
                decision, tool = self._iri(f"i{number}-thought{suffix}"), observation.action
                self._decision(decision, self._iri(f"i{number}-think") if analysis else None, observation)
            self._act(act, (place, part), decision, tool, observation)
            lane.acts.append((t.INFORMED_BY, act))
            if observation is first or call > 1:
                seen += self._observation(f"i{number}-obs{suffix}", act, observation)
        self._in_reach += [(t.USED, entity) for entity in seen]
        reach = self._outside if within is None else lane.reach
        reach += [(t.USED, entity) for entity in seen]
        self._seen[number] = seen

    def _think(self, number: int, analysis: Analysis | Conclusion, lane: Lane, part: Fact) -> str | None:
        """The activity and, as far as it is known, the thought that came of it, whose IRI is given."""
        in_reach = self._in_reach
        if isinstance(analysis, Analysis):
            action, arguments, span = analysis.action, analysis.arguments, analysis.span_id
            if analysis.within is not None:  # others may be at work at the same time
                in_reach = [*self._outside, *lane.reach]
        else:
            action, arguments, span = None, None, analysis.iteration_span
        think, thought = self._iri(f"i{number}-think"), self._iri(f"i{number}-thought")
        self._node(
            think,
            *(_ASK if self._model else _THINK),
            (t.ITERATION, integer(number)),
            *self._times(analysis.started, analysis.ended),
            *in_reach,
            (t.USED, lane.thought),
            *lane.acts,
            *self._thinker,
            part,
            *self._span(analysis, span if analysis.started else None),
        )
        if all(known is None for known in (analysis.thought, analysis.thought_digest, action, arguments)):
            return None
        self._node(
            thought,
            *_THOUGHT,
            *content(analysis.thought, analysis.thought_digest),
            (t.ACTION, text(action)),
            (t.ARGUMENTS, text(arguments)),
            (t.GENERATED_BY, think),
            *self._sources(analysis.uses if isinstance(analysis, Analysis) else None),
            *self._sources(analysis.detected if isinstance(analysis, Analysis) else None, t.DETECTED_USE),
            # Not where it only thinks, since that may turn out to be the conclusion.
            (t.EXPLAINED_BY, None if action is None else uris.iteration(self._explanation, number)),
        )
        return thought

    def _decision(self, decision: str, think: str | None, call: Observation) -> None:
        """What a further call of the iteration was to be."""
        self._node(
            decision,
            *_THOUGHT,
            (t.ACTION, text(call.action)),
            (t.ARGUMENTS, text(call.arguments)),
            (t.GENERATED_BY, think),
        )

    def _act(
        self, act: str, place: tuple[Fact, Fact], decision: str | None, tool: str | None, call: Observation
    ) -> None:
        iteration, part = place
        self._node(
            act,
            *_ACT,
            iteration,
            *self._times(call.started, call.ended),
            (t.USED, decision),
            (t.ASSOCIATED_WITH, self._tool(tool)),
            (t.ERROR, text(call.error)),
            part,
            *self._span(call, call.span_id),
        )

    def _observation(self, name: str, act: str, observation: Observation) -> list[str]:
        """What came back; nothing is certain of it while the call goes on."""
        if observation.started and not observation.ended and not self._over:
            return []
        uri = self._iri(name)
        self._node(
            uri,
            *_OBSERVATION,
            *content(observation.text, observation.digest),
            (t.GENERATED_BY, act),
            (t.DERIVED_FROM, answer_of(observation.sub_trace, self._base)),
            (t.EXPLAINED_BY, uris.observation(self._explanation, observation.number, observation.call)),
        )
        return [uri]

    def _parts(self) -> None:
        """Steps of a plan, and parts of the work, with what came of them."""
        for part in self._session.parts:
            lane = self._lanes.get(part.place, Lane())
            activity, *others = planned.result(self._session, part, self._base, lane.reach, self._over)
            uri, facts = activity
            self._node(uri, *facts, *self._times(part.started, part.ended), *self._span(part, part.span_id))
            for node, said in others:
                self._node(node, *said)
                if node == planned.result_of(part, self._base):
                    self._in_reach.append((t.USED, node))

    def _conclude(self, conclusion: Conclusion, number: int, lane: Lane) -> None:
        """The thought before the answer, if there was one, and the answer."""
        think = thought = None
        if conclusion.iteration is not None or conclusion.thought is not None:
            think = self._iri(f"i{number}-think")
            thought = self._think(number, conclusion, lane, self._part)
        conclude, answer = self._iri("conclude"), self._iri("answer")
        self._node(
            conclude,
            *_CONCLUDE,
            *self._times(conclusion.ended, self._session.ended),
            *self._in_reach,
            (t.USED, thought),
            (t.INFORMED_BY, think),
            (t.ASSOCIATED_WITH, self._agent),
            self._part,
        )
        self._node(
            answer,
            *_ANSWER,
            *content(conclusion.answer, conclusion.digest),
            (t.GENERATED_BY, conclude),
            *self._sources(conclusion.uses),
            *self._sources(conclusion.detected, t.DETECTED_USE),
            (t.ATTRIBUTED_TO, self._agent),
            (t.EXPLAINED_BY, self._explained),
        )

    def _agents(self) -> None:
        """Everybody who had a part in it, each on behalf of whom."""
        session, agent = self._session, self._agent
        user, model = self._user, self._model
        self._node(
            agent,
            *(_AGENT if session.kind == names.AGENT else _TOOL),
            (RDFS_LABEL, text(session.agent)),
            (t.ON_BEHALF_OF, user),
        )
        if user:
            self._node(user, *_USER, (RDFS_LABEL, text(session.user)))
        if model:
            self._node(model, *_MODEL, (RDFS_LABEL, text(session.model)), (t.ON_BEHALF_OF, agent))
        for tool, uri in self._tools.items():
            self._node(uri, *_TOOL, (RDFS_LABEL, text(tool)), (t.ON_BEHALF_OF, agent))

    def _sources(self, numbers: tuple[int, ...] | None, how: str = t.DERIVED_FROM) -> list[Fact]:
        """What was really used: the observations of these iterations, as far as they are known."""
        return [(how, entity) for number in numbers or () for entity in self._seen.get(number, ())]

    def _span(self, step: Step, span: str | None) -> tuple[Fact, ...]:
        """Where an activity stands in Jaeger; in which trace, where it isn't that of the run."""
        trace = step.trace_id if span and step.trace_id != self._session.trace_id else None
        return (t.SPAN_ID, text(span)), (t.TRACE_ID, text(trace))

    def _tool(self, name: str | None) -> str | None:
        if name is None:
            return None
        if name not in self._tools:
            self._tools[name] = self._iri("tool-" + quote(name, safe=""))
        return self._tools[name]

    def _iri(self, name: str) -> str:
        return self._base + name

    def _times(self, started: datetime | None, ended: datetime | None) -> tuple[Fact, Fact]:
        """Start and end of an activity; an end before its start, for which a clock was set back, is left out."""
        begin = self._time(started) if started else None
        end = self._time(ended) if ended and not (started and ended < started) else None
        return (t.STARTED, begin), (t.ENDED, end)

    def _time(self, time: datetime) -> Literal:
        if time != self._latest[0]:  # what has ended is mostly followed by what starts in the same moment
            self._latest = time, literal((written(time), t.DATE_TIME, ""))
        return self._latest[1]

    def _node(self, uri: str, *facts: Fact) -> None:
        graph = self._graph
        self.quads += [quad((uri, predicate, target, graph)) for predicate, target in facts if target is not None]
