// SPDX-License-Identifier: GPL-2.0-only
// Every way to get `workload` wrong, with the line that the user reads.
#include "tests/support/config-cases.h"
#include "tests/support/registered-names.h"
#include "workload/workload-model.h"

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Ten calls repeated as often as one can be, and one more.
std::string
TooManyCalls()
{
    std::string items;
    for (int i = 0; i < 10; ++i)
    {
        items += "{type: barrier, repeat: 1048576}, ";
    }
    return "{collective: [" + items + "{type: barrier}]}";
}

} // namespace

TEST_CASE("Configuration errors: workload", "[golden][cli]")
{
    CheckAll({
        {WithWorkload("{}"),
         R"(c.yaml:2: workload: needs one of trace, collective, flows, generate and serve)"},
        {WithWorkload("{ranks: 4}"),
         R"(c.yaml:2: workload: needs one of trace, collective, flows, generate and serve)"},
        {WithWorkload("{trace: a.et, collective: {type: all-reduce, size: 1 B}}"),
         R"(c.yaml:2: workload.collective: cannot stand beside "trace"; keep one of )"
         R"(trace, collective, flows, generate and serve)"},
        {WithWorkload("{flows: []}"),
         R"(c.yaml:2: workload.flows: is empty; write at least one flow, such as {src: 0, dst: 1, )"
         R"(size: 4 MiB})"},
        {WithWorkload("{trace: missing.et}"),
         R"(c.yaml:2: workload.trace: missing.et: there is no such trace file; files are named )"
         R"(by rank, from 0, as in "mlp.{rank}.et")"},
        {WithWorkload("{trace: \"missing.{rank}.et\"}"),
         R"(c.yaml:2: workload.trace: missing.{rank}.et: there is no trace file for rank 0, )"
         R"("missing.0.et"; files are named by rank, from 0, as in "mlp.{rank}.et")"},
        {WithWorkload("{trace: \"missing.{rank}.et\", what-if: {dp: 2}}"),
         R"(c.yaml:2: workload.trace: missing.{rank}.et: there is no trace file for rank 0, )"
         R"("missing.0.et"; files are named by rank, from 0, as in "mlp.{rank}.et")"},
        {WithWorkload("{trace: {rank}}"),
         R"(c.yaml:2: workload.trace: is a mapping; write a path, and quote it where it has )"
         R"(braces: "{rank}")"},
        {WithWorkload("{trace: a.et, streams: {name: kv}}"),
         R"(c.yaml:2: workload.streams: is not a list; write a list of {name, tags} such as )"
         R"([{name: kv, tags: 1000..1999}])"},
        {WithWorkload("{trace: a.et, streams: [{name: kvs, tags: 1}]}"),
         R"(c.yaml:2: workload.streams[0].name: "kvs" is not valid; write pipeline, kv, )"
         R"(dispatch, combine or memory)"},
        {WithWorkload("{trace: a.et, streams: [{name: kv, tags: 1-9}]}"),
         R"(c.yaml:2: workload.streams[0].tags: "1-9" is no range of tags; write one such as )"
         R"(1000..1999, or a tag)"},
        {WithWorkload("{trace: a.et, streams: [{name: kv, tags: 9..1}]}"),
         R"(c.yaml:2: workload.streams[0].tags: "9..1" ends before it begins; write the smaller )"
         R"(tag first)"},
        {WithWorkload("{trace: a.et, streams: [{name: kv, tags: 1..5}, {name: memory, tags: 5}]}"),
         R"(c.yaml:2: workload.streams[1]: has tags that entry 0 has as well; write ranges that )"
         R"(do not meet)"},
        {WithWorkload("{flows: [{src: 0, dst: 1, size: 1 B}], streams: [{name: kv, tags: 1}]}"),
         R"(c.yaml:2: workload.streams: is for traces; remove it, or write "trace")"},
        {WithWorkload("{trace: }"), R"(c.yaml:2: workload.trace: has no value; write a path)"},
        {WithWorkload("{trace: [a, b]}"), R"(c.yaml:2: workload.trace: is a list; write a path)"},
        {WithWorkload("{generate: {model: transformer}}"),
         R"(c.yaml:2: workload.generate: key "layers" is missing: the number of transformer )"
         R"(layers)"},
        {WithWorkload("{generate: transformer}"),
         R"(c.yaml:2: workload.generate: key "model" is missing: )" +
             test::ListRegistered<WorkloadModel>()},
        {WithWorkload("{generate: {name: mlp, batch: 8}}"),
         R"(c.yaml:2: workload.generate.name: unknown key (did you mean model?))"},
        {WithWorkload("{generate: {model: mpl, batch: 8}}"),
         R"(c.yaml:2: workload.generate.model: "mpl" is not valid; write )" +
             test::ListRegistered<WorkloadModel>()},
        {WithWorkload("{generate: {model: mlp, batch: 8, preset: dlrm}}"),
         R"(c.yaml:2: workload.generate.preset: "dlrm" is not valid; write none)"},
        {WithWorkload("{generate: {model: mlp, batch: 8, width: 4}}"),
         R"(c.yaml:2: workload.generate.width: unknown key (did you mean widths?))"},
        {WithWorkload("{generate: {model: mlp, batch: 8, widths: [4, x]}}"),
         R"(c.yaml:2: workload.generate.widths[1]: "x" is not valid; write a whole )"
         R"(number from 0 to 16777216, such as 8)"},
        {WithWorkload("{generate: {model: mlp, batch: 6}}"),
         R"(c.yaml:2: workload.generate.batch: the data-parallel ranks, 4 does not )"
         R"(divide batch 6; make it a multiple of 4)"},
        {WithWorkload("{generate: {model: transformer, preset: llama3-8b, phase: decode, zero: 1, "
                      "batch: 1}}"),
         R"(c.yaml:2: workload.generate.zero: is for training, and a forward pass has none of )"
         R"(it; remove it)"},
        {WithWorkload("{generate: {model: transformer, preset: llama3-8b, phase: decode, "
                      "gradient-dtype: fp32, batch: 1}}"),
         R"(c.yaml:2: workload.generate.gradient-dtype: is for training, and a forward pass has )"
         R"(none of it; remove it)"},
        {WithWorkload("{generate: {model: transformer, preset: llama3-8b, top-k: 2}}"),
         R"(c.yaml:2: workload.generate.top-k: is for experts, and there are none; write )"
         R"(experts, or top-k: 1)"},
        {WithWorkload("{generate: {model: transformer, preset: llama3-8b, expert-ffn: 64}}"),
         R"(c.yaml:2: workload.generate.expert-ffn: is for experts, and there are none; write )"
         R"(experts, or expert-ffn: 14336)"},
        {WithWorkload("{generate: {model: transformer, preset: llama3-8b, phase: decode}}"),
         R"(c.yaml:2: workload.generate: batch: a forward pass needs the number of its )"
         R"(sequences)"},
        {WithWorkload("{generate: {model: transformer, preset: llama3-8b, tp: 33}}"),
         R"(c.yaml:2: workload.generate.tp: 33 ranks cannot share heads 32; write 32 or )"
         R"(fewer)"},
        {WithWorkload("{generate: {model: transformer, preset: llama3-8b, dp: 8}}"),
         R"(c.yaml:2: the workload has 8 ranks, but the network (c.yaml:1) has 4 )"
         R"(NPUs; write a larger network or fewer "ranks")"},
        {WithWorkload("{generate: {model: text, file: missing.txt}}"),
         R"(c.yaml:2: workload.generate.file: "missing.txt" cannot be read; name a )"
         R"(text workload)"},
        {WithWorkload("{collective: {type: allreduce, size: 1 MiB}}"),
         R"(c.yaml:2: workload.collective.type: "allreduce" is not valid; write )"
         R"(all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, )"
         R"(gather, scatter or barrier)"},
        {WithWorkload("{collective: {type: all-reduce}}"),
         R"(c.yaml:2: workload.collective: key "size" is missing; write a size such )"
         R"(as 64 MiB)"},
        {WithWorkload("{collective: {size: 1 MiB}}"),
         R"(c.yaml:2: workload.collective: key "type" is missing: the type of the collective)"},
        {WithWorkload("{collective: {type: all-reduce, size: 1048576}}"),
         R"(c.yaml:2: workload.collective.size: "1048576" has no unit; write )"
         R"("1048576 B" or "1048576 KiB")"},
        {WithWorkload("{collective: {type: all-reduce, size: 1 MiB, repeat: 0}}"),
         R"(c.yaml:2: workload.collective.repeat: "0" is not valid; write a whole )"
         R"(number from 1 to 1048576)"},
        {WithWorkload("{collective: {type: all-reduce, size: 1 MiB, size-means: all}}"),
         R"(c.yaml:2: workload.collective.size-means: "all" is not valid; write )"
         R"(shard or total)"},
        {WithWorkload("{collective: []}"),
         R"(c.yaml:2: workload.collective: is empty; write at least one collective)"},
        {WithWorkload("{collective: {parallel: {type: barrier}}}"),
         R"(c.yaml:2: workload.collective.parallel: is not a list; write a list of )"
         R"(collectives)"},
        {WithWorkload("{collective: {parallel: [], type: barrier}}"),
         R"(c.yaml:2: workload.collective.type: unknown key; known: parallel)"},
        {WithWorkload("{collective: {type: barrier}, ranks: 5}"),
         R"(c.yaml:2: the workload has 5 ranks, but the network (c.yaml:1) has 4 )"
         R"(NPUs; write a larger network or fewer "ranks")"},
        {WithWorkload("{collective: {type: barrier}, ranks: 0}"),
         R"(c.yaml:2: workload.ranks: "0" is not valid; write a whole number from 1 )"
         R"(to 4194304)"},
        {WithWorkload("{collective: {type: barrier}, dependencies: data}"),
         R"(c.yaml:2: workload.dependencies: is for traces; remove it, or write "trace")"},
        {WithWorkload("{collective: {type: barrier}, element-size: 2 B}"),
         R"(c.yaml:2: workload.element-size: is for traces; remove it, or write "trace")"},
        {WithWorkload("{trace: a.et, element-size: 8 GiB}"),
         R"(c.yaml:2: workload.element-size: "8 GiB" is too large; write the size of )"
         R"(a number, such as 2 B)"},
        {WithWorkload("{flows: [{src: 0, dst: 0, size: 1 KB}]}"),
         R"(c.yaml:2: workload.flows[0]: rank 0 sends to itself; src and dst must differ)"},
        {WithWorkload("{flows: [{src: 0, dst: 9, size: 1 KB}]}"),
         R"(c.yaml:2: workload.flows[0].dst: there is no rank 9; the ranks are 0 to 3)"},
        {NETWORK + "workload:\n  flows:\n    - {src: 0, dst: 1, size: 1 KB}\n    - src: 4\n"
                   "      dst: 1\n      size: 1 KB\n",
         R"(c.yaml:5: workload.flows[1].src: there is no rank 4; the ranks are 0 to 3)"},
        {WithWorkload("{flows: [{src: 0, size: 1 KB}]}"),
         R"(c.yaml:2: workload.flows[0]: key "dst" is missing: the rank that receives)"},
        {WithWorkload("{collective: {type: barrier, repeat: 4294967295}}"),
         R"(c.yaml:2: workload.collective.repeat: "4294967295" is not valid; write a whole )"
         R"(number from 1 to 1048576)"},
        {WithWorkload(TooManyCalls()),
         R"(c.yaml:2: workload.collective: 10485761 calls are more than the 10000000 of the )"
         R"(largest job; repeat less)"},
        {WithWorkload("{generate: {model: mlp, batch: 8, layers: 16777216}}"),
         R"(c.yaml:2: workload.generate.layers: 16777216 layers of some 4 nodes each are more than )"
         R"(the 10000000 nodes of the largest job; write 2500000 or fewer)"},
        {WithWorkload("{generate: {model: transformer, layers: 16777216, hidden: 8, heads: 1}}"),
         R"(c.yaml:2: workload.generate.layers: 16777216 layers of some 16 nodes each are more )"
         R"(than the 10000000 nodes of the largest job; write 625000 or fewer)"},
        {WithWorkload("{generate: {model: transformer, layers: 16777216, hidden: 8, heads: 1, "
                      "phase: decode, batch: 4}}"),
         R"(c.yaml:2: workload.generate.layers: 16777216 layers of some 16 nodes each are more )"
         R"(than the 10000000 nodes of the largest job; write 625000 or fewer)"},
        {WithWorkload("{flows: {src: 0, dst: 1, size: 1 KB}}"),
         R"(c.yaml:2: workload.flows: is not a list; write a list of flows)"},
    });
}
