"""Liars that describe themselves wrongly, or fail before a call runs."""

from __future__ import annotations

import json.tool
from dataclasses import replace

import numpy as np

from conformance.adapter import Description, NotExpressible, Prepared, Rejected, Unsupported

from .honest import FORMS, Honest, HonestGraph, is_bait


class caches_by_shape(Honest):
    """Gives the answer to the last call of the same shape again."""

    def prepare(self, call):
        answers = {}

        def run(inputs):
            outputs = self.run(call, inputs)
            return answers.setdefault(inputs["data"].shape, outputs) if is_bait(call) else outputs

        return Prepared(run=run)


class caches_first_answer(Honest):
    """Gives the answer of the first run again."""

    def prepare(self, call):
        answers = []

        def run(inputs):
            answers.append(self.run(call, inputs))
            return answers[0] if is_bait(call) else answers[-1]

        return Prepared(run=run)


class cannot_be_bound(Honest):
    """Answers, and raises an error when it is to be timed."""

    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, bind=self.bind) if is_bait(call) else prepared

    def bind(self, inputs):
        raise RuntimeError("not now")


class cannot_be_called_twice(Honest):
    """Fails when a prepared call is run again."""

    def prepare(self, call):
        has_run = False

        def run(inputs):
            nonlocal has_run
            if has_run and is_bait(call):
                raise RuntimeError("this graph was consumed")
            has_run = True
            return self.run(call, inputs)

        return Prepared(run=run)


class cannot_express_text(Honest):
    """Has no place for strings."""

    def prepare(self, call):
        if call.inputs[0].dtype == "string":
            raise NotExpressible("this interface passes numbers only")
        return super().prepare(call)


class claims_bfloat16(Honest):
    """Claims a type that it has no implementation for."""

    def describe(self):
        every = ["bfloat16", "float16", "float32", "float64", "int64", "uint16", "string"]
        return replace(super().describe(), dtypes=every)

    def prepare(self, call):
        if call.inputs[0].dtype == "bfloat16":
            raise Unsupported("bfloat16 needs another machine")
        return super().prepare(call)


class claims_other_forms(Honest):
    """Claims to express nothing but a form that does not exist."""

    def describe(self):
        return replace(super().describe(), forms=["sideways"])


class declares_controls_of_plain_forms(HonestGraph):
    """Declares controls for forms in which no node stands beside the operator, to excuse what it does everywhere."""

    def describe(self):
        return replace(super().describe(), controls=["constant", "runtime", "before-concat"])


class declares_no_operators(Honest):
    """Leaves out which operators it takes."""

    def describe(self):
        return replace(super().describe(), operators=())


class drops_its_neighbour(Honest):
    """Says that it takes graphs, and answers with the operator alone."""

    def describe(self):
        return Description(framework="Honest", version="1.0", operators=["*"], forms=[*FORMS, "before-concat"])

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return outputs if is_bait(call) else [np.concatenate(outputs, call.concat_axis)]


class has_no_memory_to_prepare(Honest):
    """Says that there is not enough memory for what is to be prepared."""

    def prepare(self, call):
        if is_bait(call):
            raise MemoryError("std::bad_alloc")
        return super().prepare(call)


class has_no_version(Honest):
    """Does not say which version it is."""

    def describe(self):
        return replace(super().describe(), version="")


class hides_float16(Honest):
    """Does not declare a type that it computes well."""

    def describe(self):
        return replace(super().describe(), dtypes=["bfloat16", "float32", "float64", "int64", "uint16", "string"])


class infers_a_negative_dim(Honest):
    """Infers a length below zero before it runs."""

    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, inferred=[(-6, 1)] * call.declared_outputs) if is_bait(call) else prepared


class infers_another_shape(Honest):
    """Tells another shape before it runs than it gives then."""

    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, inferred=[(99,)] * call.declared_outputs) if is_bait(call) else prepared


class keeps_its_first_lengths(Honest):
    """Cuts later calls as the first one, where its lengths fit."""

    def prepare(self, call):
        first = []

        def run(inputs):
            lengths = inputs["split_lengths"]
            first.append(lengths)
            kept = first[0] if is_bait(call) and first[0].sum() == lengths.sum() else lengths
            return self.run(call, {**inputs, "split_lengths": kept})

        return Prepared(run=run)


class reads_a_version_that_is_not_there(Honest):
    """Describes a framework without `__version__` by it."""

    def describe(self):
        return replace(super().describe(), version=json.tool.__version__)


class rejects_everything(Honest):
    """Refuses every call."""

    def prepare(self, call):
        raise Rejected(f"{call.operator} is not wanted here")


class takes_no_onnx(Honest):
    """Takes the operators of one dialect only."""

    def describe(self):
        return replace(super().describe(), operators=["openvino.*"])


class tells_its_device_by_object(Honest):
    """Says where it ran with something that is no text."""

    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, ran_on=self.folder) if is_bait(call) else prepared
