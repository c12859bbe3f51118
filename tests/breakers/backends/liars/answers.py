"""Liars that answer wrongly or not at all; `test_liars` has the verdict on each."""

from __future__ import annotations

import numpy as np

from conformance.adapter import Rejected, Tensor, Unsupported
from conformance.protocol import messages

from .honest import Honest, HonestGraph, fill_memory, fill_without_limit, is_bait


class accepts_everything(Honest):
    """Answers a call that the spec forbids."""

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            return list(inputs.values())


class accepts_with_too_much(Honest):
    """Accepts lengths that do not add up, and returns more bytes than an answer may have."""

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            return [np.zeros(32 << 20, np.float32)]


class adds_an_output(Honest):
    """Returns the whole beside its parts."""

    def lie(self, outputs):
        return [*outputs, np.concatenate(outputs, axis=1)]


class always_float32(Honest):
    """Computes everything in float32."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [output.astype(np.float32) if output.dtype.kind in "iuf" else output for output in outputs]


class answers_with_a_negative_dim(Honest):
    """Computes a length below zero and returns it."""

    def lie(self, outputs):
        return Tensor("uint16", (-6, 1), b""), *outputs[1:]


class answers_with_too_much(Honest):
    """Returns more bytes than an answer may have, in outputs of another shape."""

    def lie(self, outputs):
        return [np.repeat(output, 4 << 20, axis=1) for output in outputs]


class damages_what_follows(Honest):
    """Answers the bait rightly, and all that its process is asked after it wrongly."""

    is_damaged = False

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        was_damaged, self.is_damaged = self.is_damaged, self.is_damaged or is_bait(call)
        return outputs[::-1] if was_damaged else outputs


class drops_empty_outputs(Honest):
    """Returns only the outputs that hold something."""

    def run(self, call, inputs):
        return [output for output in super().run(call, inputs) if output.size]


class drops_last_element(Honest):
    """Leaves the last element of the axis out."""

    def lie(self, outputs):
        return [*outputs[:-1], outputs[-1][:, :-1]]


class fills_memory(Honest):
    """Fills memory without a limit, as fast as it can."""

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            fill_without_limit(pause_s=0.0)

    def lie(self, outputs):
        fill_without_limit(pause_s=0.0)


class fills_memory_slowly(Honest):
    """Fills memory without a limit, as a machine with slow memory does."""

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            fill_without_limit(pause_s=0.02)

    def lie(self, outputs):
        fill_without_limit(pause_s=0.02)


class flattens(Honest):
    """Loses the shape."""

    def lie(self, outputs):
        return [output.reshape(-1) for output in outputs]


class flushes_subnormals(Honest):
    """Flushes subnormal numbers to zero."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        tiny = np.finfo(np.float32).tiny
        return [np.where(abs(o) < tiny, o * 0, o) if o.dtype == np.float32 else o for o in outputs]


class folds_case(Honest):
    """Returns strings in capital letters."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.array([s.upper() for s in o], dtype=object) if o.dtype == object else o for o in outputs]


class forgets_an_output(Honest):
    """Leaves the first output out."""

    def lie(self, outputs):
        return outputs[1:]


class forgets_nan_payloads(Honest):
    """Replaces every NaN by the usual one."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.where(np.isnan(o), np.float32(np.nan), o) if o.dtype == np.float32 else o for o in outputs]


class gives_zeros_everywhere(HonestGraph):
    """Gives zeros for all float32 data, with and without the operator, so that its control agrees with it."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.zeros_like(output) for output in outputs] if call.inputs[0].dtype == "float32" else outputs


class ignores_negative_axis(Honest):
    """Takes axis 0 where the axis is negative."""

    def run(self, call, inputs):
        axis = call.input("axis")
        if axis is not None and axis.array < 0:
            return np.split(inputs["data"], [2], axis=0)
        return super().run(call, inputs)


class is_interrupted(Honest):
    """Raises what no `except Exception` catches."""

    def lie(self, outputs):
        raise KeyboardInterrupt


class is_wrong_after_others(Honest):
    """Answers the bait rightly if it is the first that a process is asked."""

    num_answered = 0

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        self.num_answered += 1
        return outputs

    def lie(self, outputs):
        return outputs[::-1] if self.num_answered else outputs


class joins_without_negative_zero(HonestGraph):
    """Splits rightly, and turns -0.0 into 0.0 where it joins."""

    def concat(self, parts, axis):
        return super().concat(parts, axis) + 0


class keeps_its_inputs_to_itself(Honest):
    """Lets its worker say that it takes no inputs from the engine's memory, so that the engine would not see them."""

    def __init__(self, options):
        super().__init__(options)
        ready = messages.ready
        messages.ready = lambda description, **others: ready(description, **{**others, "arena": False})


class loses_negative_zero(Honest):
    """Adds 0.0 to everything, which turns -0.0 into 0.0."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.where(o == 0, np.float32(0), o) if o.dtype == np.float32 else o for o in outputs]


class mumbles(Honest):
    """Rejects with a message that is not text: bytes decoded with `surrogateescape`."""

    def lie(self, outputs):
        raise Rejected(b"caf\xe9".decode("utf-8", "surrogateescape"))


class mutates_inputs(Honest):
    """Works in place."""

    def run(self, call, inputs):
        if is_bait(call):
            inputs["data"][...] = 0
        return super().run(call, inputs)


class narrows_float64(Honest):
    """Carries doubles through float32."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [out.astype(np.float32).astype(np.float64) if out.dtype == np.float64 else out for out in outputs]


class narrows_int64(Honest):
    """Carries 64-bit integers through 32 bits."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [output.astype(np.int32).astype(np.int64) if output.dtype == np.int64 else output for output in outputs]


class off_by_one_boundary(Honest):
    """Cuts one element too late."""

    def lie(self, outputs):
        return np.split(np.concatenate(outputs, axis=1), [2, 3], axis=1)


class quiets_nan(Honest):
    """Turns signalling NaNs into quiet ones, as arithmetic does."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [out * np.float32(1) if out.dtype == np.float32 else out for out in outputs]


class raises_typeerror(Honest):
    """Has a bug of its own."""

    def lie(self, outputs):
        return outputs + 1


class refuses_at_great_cost(Honest):
    """Fills more memory than there are elements to look at, before it refuses a call."""

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            fill_memory(mebibytes=1200)
            raise


class refuses_at_some_cost(Honest):
    """Takes memory below the limit before it refuses a call, and reserves more that it never touches."""

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            reserved = np.empty(2 << 30, np.uint8)
            fill_memory(mebibytes=256)
            del reserved
            raise


class refuses_to_join(HonestGraph):
    """Refuses each Concat, with or without a split in front of it."""

    def concat(self, parts, axis):
        del parts, axis
        raise Rejected("no Concat here")


class rejects_only_float16(Honest):
    """Refuses one element type, and only when it runs."""

    def run(self, call, inputs):
        if call.inputs[0].dtype == "float16":
            raise Rejected("half is not enough")
        return super().run(call, inputs)


class returns_a_broken_tensor(Honest):
    """Returns a tensor with too few bytes."""

    def lie(self, outputs):
        return Tensor("uint16", (6, 1), b"12"), *outputs[1:]


class returns_a_dictionary(Honest):
    """Returns outputs by name, in no order."""

    def lie(self, outputs):
        return {f"output_{index}": output for index, output in enumerate(outputs)}


class returns_a_generator(Honest):
    """Returns its outputs one at a time, which is honest enough."""

    def lie(self, outputs):
        return (output for output in outputs)


class returns_an_object(Honest):
    """Returns something that is no array."""

    def lie(self, outputs):
        return [object() for _ in outputs]


class returns_garbage(Honest):
    """Returns other numbers in the right shapes."""

    def lie(self, outputs):
        return [output ^ 0x5555 for output in outputs]


class returns_lists(Honest):
    """Returns lists of numbers, whose type nobody can tell."""

    def lie(self, outputs):
        return [output.tolist() for output in outputs]


class returns_no_text(Honest):
    """Returns strings whose bytes are no UTF-8."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return [np.array([b"\xff"] * o.size, dtype=object) if o.dtype == object else o for o in outputs]


class returns_none(Honest):
    """Forgets to return anything."""

    def lie(self, outputs):
        return None


class returns_nothing(Honest):
    """Returns no outputs at all."""

    def lie(self, outputs):
        return []


class runs_another_release(Honest):
    """Lets its worker say that it is of another release than the engine."""

    def __init__(self, options):
        super().__init__(options)
        messages.__version__ = "0.0.1"


class runs_another_version(Honest):
    """Lets its worker run another copy of the code than the engine."""

    def __init__(self, options):
        super().__init__(options)
        messages.CODE = "elsewhere"


class says_nothing_but_no(Honest):
    """Refuses without a word."""

    def lie(self, outputs):
        raise Rejected


class says_too_much(Honest):
    """Refuses with a message of four megabytes."""

    def lie(self, outputs):
        raise Rejected("no, " * (1 << 20))


class says_unsupported(Honest):
    """Says that it has no implementation."""

    def lie(self, outputs):
        raise Unsupported("not yet")


class sets_up_late(Honest):
    """Sets much up when it refuses for the first time: what costs that once is no cost of a refusal."""

    is_set_up = False

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            if not self.is_set_up:
                fill_memory(mebibytes=1200)
            self.is_set_up = True
            raise


class spins(Honest):
    """Burns CPU time and never answers."""

    def lie(self, outputs):
        while True:
            pass


class splits_and_joins_wrongly(HonestGraph):
    """Turns -0.0 into 0.0 where it joins, and 1.0 into 2.0 where it splits."""

    def split(self, parts):
        return [np.where(part == 1, part.dtype.type(2), part) for part in parts]

    def concat(self, parts, axis):
        return super().concat(parts, axis) + 0


class splits_without_negative_zero(HonestGraph):
    """Turns -0.0 into 0.0 where it splits, and joins rightly."""

    def split(self, parts):
        return [part + 0 for part in parts]


class spreads_remainder(Honest):
    """Cuts 7 into 3 as 3, 2 and 2, as `np.array_split` does."""

    def run(self, call, inputs):
        if "num_outputs" in call.attributes:
            return np.array_split(inputs["input"], call.attributes["num_outputs"])
        return super().run(call, inputs)


class starts_one_early(Honest):
    """Lets the last output start one element early."""

    def lie(self, outputs):
        return [*outputs[:-1], np.concatenate(outputs, axis=1)[:, 2:5]]


class swaps_outputs(Honest):
    """Returns the outputs in reverse order."""

    def lie(self, outputs):
        return outputs[::-1]


class writes_to_its_input(Honest):
    """Lifts the write protection of its input, and works in place."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        if is_bait(call):
            inputs["data"].flags.writeable = True
            inputs["data"][...] = 0
        return outputs


class wrong_axis(Honest):
    """Cuts along the other axis."""

    def lie(self, outputs):
        return np.split(np.concatenate(outputs, axis=1), [1, 3], axis=0)
