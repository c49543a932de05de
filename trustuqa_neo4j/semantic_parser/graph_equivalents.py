"""Relations of one meaning in a graph, such as *owns* and *owned by*: a step follows all that there are.

Names alone do not say that two relations mean the same: the *teacher* of a school is not what a teacher
*teaches*. They must lead between the same things too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from .graph_plans import EitherMembers, Follow, HeadsOf, TailsOf
from .graph_view import EdgeGroup, Hop, Neighbourhood

Plan = TypeVar("Plan")


@dataclass
class EquivalentHops:
    """The hops that mean the same as another, by that hop; plans are widened to all of them.

    ``whole`` are the relations of which all facts were read.
    """

    hops: Mapping[Hop, tuple[Hop, ...]] = field(default_factory=dict)
    whole: Collection[str] = ()

    def widen(self, plan: Plan, hood: Neighbourhood) -> Plan:
        """Return ``plan`` with each step led over all relations that mean the same and have facts there."""
        if not self.hops:
            return plan
        changed = {
            name: part
            for name, old in _find_parts(plan)
            if (part := self.widen(old, hood)) is not old
        }
        widened: Any = replace(plan, **changed) if changed else plan  # type: ignore[type-var]
        if isinstance(widened, Follow) and widened.can_join and not widened.others:
            widened = self._follow_all(widened, hood)
        elif isinstance(widened, HeadsOf | TailsOf):
            for hop in self._find_other_ends(widened):
                if hop.relation in self.whole:
                    other = TailsOf(hop.relation) if hop.forward else HeadsOf(hop.relation)
                    widened = EitherMembers(widened, other)
        return cast("Plan", widened)

    def _follow_all(self, step: Follow, hood: Neighbourhood) -> Follow:
        """Lead a step over each hop that has facts: a search without any is a wrong name to the engine."""
        hops = (step.hop, *self.hops.get(step.hop, ()))
        steps = [replace(step, hop=hop) for hop in hops]
        found = [s.hop for s in steps if s.nodes(hood)] if len(steps) > 1 else []
        return replace(step, hop=found[0], others=tuple(found[1:])) if found else step

    def leaves_out(self, plan: Any) -> bool:
        """True if a part of a widened plan takes the facts of one relation of several alone."""
        if not self.hops:
            return False
        if isinstance(plan, HeadsOf | TailsOf):
            return any(hop.relation not in self.whole for hop in self._find_other_ends(plan))
        is_joined = isinstance(plan, Follow) and plan.can_join
        hops = [value for _, value in _find_fields(plan) if isinstance(value, Hop)]
        if not is_joined and any(hop in self.hops for hop in hops):
            return True
        return any(self.leaves_out(part) for _, part in _find_parts(plan))

    def _find_other_ends(self, plan: HeadsOf | TailsOf) -> tuple[Hop, ...]:
        return self.hops.get(Hop(plan.relation, isinstance(plan, TailsOf)), ())


def confirm_equivalents(
    hops: Mapping[Hop, tuple[Hop, ...]], groups: Iterable[EdgeGroup]
) -> dict[Hop, tuple[Hop, ...]]:
    """Keep the hops whose heads are also heads of the other, and whose tails are also its tails.

    ``groups`` are facts of their relations.
    """
    starts: dict[Hop, set[int]] = {}
    for group in groups:
        hop = Hop(group.relation, group.forward)
        starts.setdefault(hop, set()).add(group.node)

    def share_start(hop: Hop, other: Hop) -> bool:
        return not starts.get(hop, set()).isdisjoint(starts.get(other, ()))

    confirmed = {
        hop: [o for o in others if share_start(hop, o) and share_start(hop.inverse, o.inverse)]
        for hop, others in hops.items()
    }
    joined = {hop: _collect(confirmed, hop) for hop in confirmed}
    return {hop: others for hop, others in joined.items() if others}


def _collect(hops: Mapping[Hop, list[Hop]], start: Hop) -> tuple[Hop, ...]:
    """Return what ``start`` means the same as, by others too."""
    found, waiting = {start: None}, [start]
    while waiting:
        new = [hop for hop in hops.get(waiting.pop(), ()) if hop not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return tuple(found)[1:]


def _find_fields(plan: Any) -> Iterator[tuple[str, Any]]:
    return ((field.name, getattr(plan, field.name)) for field in fields(plan))


def _find_parts(plan: Any) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in _find_fields(plan) if is_dataclass(value))
