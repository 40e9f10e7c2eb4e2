// SPDX-License-Identifier: GPL-2.0-only
// What a run says of mechanisms that did nothing, beside the run without them: "had no effect" may
// stand only where both have the same times, to the picosecond.
#include "simulation/run-input.h"
#include "tests/support/contains.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A job without the keys that are judged.
struct IdleCase
{
    std::string workload;
    std::string network; ///< keys of the network, but for `packet` and `faults`
    std::string system = "{}";
    std::string packet = "";                  ///< keys of network.packet
    std::vector<std::string> faults = {};     ///< of network.faults
    std::vector<std::string> attributes = {}; ///< of network.ns3
};

std::string
SpellCase(const IdleCase& scene)
{
    std::string yaml = fmt::format("workload: {{{}}}\nsystem: {}\nnetwork:\n{}  packet: {{{}}}\n",
                                   scene.workload,
                                   scene.system,
                                   scene.network,
                                   scene.packet);
    yaml += scene.faults.empty() ? "" : "  faults:\n";
    for (const std::string& fault : scene.faults)
    {
        yaml += "    - {" + fault + "}\n";
    }
    yaml += scene.attributes.empty() ? "" : "  ns3:\n";
    for (const std::string& attribute : scene.attributes)
    {
        yaml += "    " + attribute + "\n";
    }
    return yaml;
}

/// A run, and all that is said of it.
struct ToldRun
{
    RunResults results;
    std::string sentences; ///< notes and warnings, a line each

    bool ClaimsNoEffect() const
    {
        return Contains(sentences, "no effect");
    }

    bool Says(const std::string& words) const
    {
        return Contains(sentences, words);
    }
};

ToldRun
RunAndTell(const IdleCase& scene)
{
    const std::string yaml = SpellCase(scene);
    const ScratchDirectory scratch("idle-mechanisms");
    const RunInput input(scratch.Write("c.yaml", yaml), {});
    ToldRun told{RunYaml({yaml}), ""};
    REQUIRE(told.results.status == RunStatus::Done);
    for (const auto& sentences : {input.Notes(), told.results.warnings})
    {
        for (const std::string& sentence : sentences)
        {
            told.sentences += sentence + "\n";
        }
    }
    return told;
}

/// Eight NPUs send a mebibyte each to a ninth, at 100 Gb/s.
IdleCase
NineIncast(const std::string& packet)
{
    std::string flows;
    for (int source = 1; source <= 8; ++source)
    {
        flows += fmt::format("{}{{src: {}, dst: 0, size: 1 MiB}}", source == 1 ? "" : ", ", source);
    }
    return {.workload = "flows: [" + flows + "]",
            .network = "  dimensions: [{shape: switch, size: 9, bandwidth: 100 Gb/s, latency: 500 "
                       "ns}]\n",
            .packet = packet};
}

IdleCase
EightRing(const std::string& packet)
{
    return {.workload = "collective: {type: all-reduce, size: 16 MiB}",
            .network = "  dimensions: [{shape: ring, size: 8, bandwidth: 400 Gb/s, latency: 500 "
                       "ns}]\n",
            .packet = packet};
}

/// An all-reduce that a switch computes.
IdleCase
MakeInNetwork(const std::string& packet)
{
    return {.workload = "collective: {type: all-reduce, size: 4 MiB}",
            .network = "  in-network: on\n"
                       "  dimensions: [{shape: switch, size: 8, bandwidth: 50 GB/s, latency: 500 "
                       "ns}]\n",
            .system = "{collectives: {all-reduce: in-network}}",
            .packet = packet};
}

/// Two leaves with four NPUs each and three spines. ECMP sends 0 -> 4 and 1 -> 5 over one each.
IdleCase
MakeLeafSpine(const std::vector<std::string>& faults, const std::string& rerouteAfter = "0 s")
{
    return {.workload = "flows: [{src: 0, dst: 4, size: 4 MiB}, {src: 1, dst: 5, size: 4 MiB}]",
            .network = "  topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: 3, "
                       "link: {bandwidth: 400 Gb/s, latency: 500 ns}}\n"
                       "  reroute-after: " +
                       rerouteAfter + "\n",
            .faults = faults};
}

} // namespace

TEST_CASE("Idle mechanisms: a control whose window held senders back is not told as idle",
          "[component][packet][mechanism]")
{
    const ToldRun none = RunAndTell(NineIncast("buffer: 1 MB"));
    CHECK(none.results.totals.drops > 0);

    const ToldRun unmarked = RunAndTell(NineIncast("buffer: 1 MB, congestion-control: dctcp"));
    CHECK(unmarked.results.finish < none.results.finish);
    CHECK(unmarked.Says("dctcp acts on ECN marks, but ecn is off: no mark will make it slower, but "
                        "its window may hold senders back, and each frame is acknowledged; write"));

    const ToldRun marked = RunAndTell(
        NineIncast("buffer: 1 MB, congestion-control: dctcp, ecn: {min: 800 KB, max: 900 KB}"));
    CHECK(marked.Says("and marks begin beyond 800 KB; the window of dctcp held senders back"));

    const IdleCase alone{.workload = "flows: [{src: 1, dst: 0, size: 1 MiB}]",
                         .network = NineIncast("").network};
    IdleCase narrow = alone;
    narrow.packet = "congestion-control: {name: swift, max-window: 8192}";
    const ToldRun held = RunAndTell(narrow);
    CHECK(held.results.finish > RunAndTell(alone).results.finish);
    CHECK(held.Says("swift never lowered a rate or a window: no queue or delay gave it reason to; "
                    "the window of swift held senders back"));
    CHECK_FALSE(held.ClaimsNoEffect());
}

TEST_CASE("Idle mechanisms: a buffer that never overflowed had no effect",
          "[component][packet][mechanism]")
{
    const ToldRun without = RunAndTell(NineIncast("window: bdp"));
    const ToldRun with = RunAndTell(NineIncast("window: bdp, buffer: 1 MB"));
    CHECK(with.Says("buffer had no effect"));
    CHECK(with.results.digest == without.results.digest);

    // Frames that wait for longer than the timer are sent again, though none is lost.
    const std::string hasty = "retransmit-timeout: 100 us";
    const ToldRun again = RunAndTell(NineIncast(hasty + ", buffer: 1 GB"));
    CHECK(again.results.totals.drops == 0);
    CHECK(again.results.digest != RunAndTell(NineIncast(hasty)).results.digest);
    CHECK(again.Says("but because they might have, frames that came late were sent again"));
    CHECK_FALSE(again.Says("buffer had no effect"));

    // Messages of switches are acknowledged where frames can be lost.
    const ToldRun calm = RunAndTell(MakeInNetwork(""));
    const ToldRun careful = RunAndTell(MakeInNetwork("buffer: 100 MB"));
    CHECK(careful.results.finish > calm.results.finish);
    CHECK(careful.Says("the buffers of 100 MB never overflowed; but because they might have, "
                       "messages of switches that compute are acknowledged"));
    CHECK_FALSE(careful.ClaimsNoEffect());
}

TEST_CASE("Idle mechanisms: a control that never acted costs its acknowledgements",
          "[component][packet][mechanism]")
{
    // Messages of 32 KiB fit into every window.
    const auto ring = [](const std::string& packet)
    {
        IdleCase scene = EightRing(packet);
        scene.workload = "collective: {type: all-reduce, size: 256 KiB}";
        return RunAndTell(scene);
    };
    const ToldRun none = ring("");
    const ToldRun answered = ring("acknowledge: frame");
    CHECK(answered.results.finish > none.results.finish);
    for (const std::string control : {"timely", "swift", "hpcc"})
    {
        CAPTURE(control);
        const std::string key = "congestion-control: " + control;
        const ToldRun idle = ring(key);
        CHECK(idle.results.finish == answered.results.finish);
        CHECK(idle.Says("gave it reason to; each frame is acknowledged, and "
                        "network.packet.acknowledge: frame alone shows what that costs"));
        CHECK_FALSE(idle.ClaimsNoEffect());
        // Where each frame is acknowledged anyway, nothing is left of it.
        for (const std::string other : {"acknowledge: frame", "window: 64 MiB"})
        {
            const ToldRun with = ring(key + ", " + other);
            CHECK(with.Says("reason to; " + control + " had no effect"));
            CHECK(with.results.digest == ring(other).results.digest);
        }
    }
    const std::string marks = "ecn: {min: 5 MB, max: 6 MB}";
    const ToldRun dctcp = ring("congestion-control: dctcp, " + marks);
    CHECK(dctcp.results.finish == answered.results.finish);
    CHECK(dctcp.Says("marks begin beyond 5 MB; each frame is acknowledged, and "
                     "network.packet.acknowledge: frame alone shows what that costs"));
    const ToldRun dcqcn = ring("congestion-control: dcqcn, " + marks);
    CHECK(dcqcn.Says("dcqcn had no effect"));
    CHECK(dcqcn.results.digest == none.results.digest);
    const ToldRun ecn = ring(marks);
    CHECK(ecn.Says("ecn had no effect"));
    CHECK(ecn.results.digest == none.results.digest);
    const ToldRun window = ring("window: 64 MiB");
    CHECK(window.results.finish == answered.results.finish);
    CHECK(window.Says("never filled, so it held no sender back; each frame is acknowledged"));
}

TEST_CASE("Idle mechanisms: pfc without a pause may still order frames by its second priority",
          "[component][packet][mechanism]")
{
    IdleCase ring = EightRing("buffer: 32 MB");
    ring.workload = "collective: {type: all-to-all, size: 1 MiB}";
    ring.system = "{collectives: {all-to-all: direct}}"; // over several links
    IdleCase paused = ring;
    paused.packet += ", pfc: on";
    const ToldRun with = RunAndTell(paused);
    CHECK(with.results.totals.pauses == 0);
    CHECK(with.results.finish != RunAndTell(ring).results.finish);
    CHECK(with.Says("no pause was sent: the buffers of 32 MB never filled; pfc stopped nobody, but "
                    "its second priority, which keeps rings from deadlock, may have changed the "
                    "order of frames"));
    CHECK_FALSE(with.ClaimsNoEffect());
    CHECK(RunAndTell(NineIncast("window: bdp, buffer: 32 MB, pfc: on"))
              .Says("never filled; pfc stopped"));
}

TEST_CASE("Idle mechanisms: marks of network.ns3 are marks", "[component][packet][mechanism]")
{
    IdleCase scene = NineIncast("congestion-control: dctcp");
    scene.attributes = {"ns3::FabricPort::MarkMax: 100000"};
    const ToldRun marked = RunAndTell(scene);
    CHECK(marked.results.totals.ecnMarks > 0);
    CHECK_FALSE(marked.Says("ecn is off"));
    CHECK_FALSE(marked.ClaimsNoEffect());
}

TEST_CASE("Idle faults: a link that is down may be the way around another one",
          "[component][packet][mechanism]")
{
    const std::string first = "link: [leaf0, spine1], state: down";
    const std::string second = "link: [leaf0, spine2], state: down";
    const ToldRun one = RunAndTell(MakeLeafSpine({first}));
    const ToldRun both = RunAndTell(MakeLeafSpine({first, second}));
    CHECK(both.results.finish > one.results.finish);
    CHECK_FALSE(both.Says("network.faults["));
}

TEST_CASE("Idle faults: new routes around an unused link may move traffic of others",
          "[component][packet][mechanism]")
{
    // Two flows go over two of five spines. Without a third one, which carried nothing, a hash
    // chooses among four, and both flows go over one.
    const auto withFault = [](const std::vector<std::string>& faults, const std::string& after)
    {
        IdleCase scene = MakeLeafSpine(faults, after);
        scene.workload = "flows: [{src: 0, dst: 4, size: 4 MiB}, {src: 1, dst: 6, size: 4 MiB}]";
        const size_t spines = scene.network.find("spines: 3");
        scene.network.replace(spines, 9, "spines: 5");
        return RunAndTell(scene);
    };
    const std::string down = "link: [leaf0, spine1], state: down";
    const ToldRun none = withFault({}, "1 ms");
    const ToldRun rerouted = withFault({down}, "0 s");
    CHECK(rerouted.results.finish > none.results.finish);
    CHECK_FALSE(rerouted.Says("network.faults["));

    // While all keep to the usual routes, it does nothing.
    const ToldRun usual = withFault({down}, "1 ms");
    CHECK(usual.results.digest == none.results.digest);
    CHECK(usual.Says(
        "network.faults[0] touched no traffic: nothing crossed its links; it had no effect"));
}

TEST_CASE("Idle faults: a bandwidth that no frame had", "[component][packet][mechanism]")
{
    const auto withFault = [](const std::string& fault)
    {
        IdleCase scene = EightRing("");
        scene.faults = {"link: [npu0, npu1], " + fault};
        return RunAndTell(scene);
    };
    const ToldRun none = RunAndTell(EightRing(""));
    const ToldRun usual = withFault("bandwidth: 400 Gb/s");
    CHECK(usual.results.digest == none.results.digest);
    CHECK(usual.Says("network.faults[0] gives its links the 50 GB/s that they have anyway; it had "
                     "no effect"));

    // One flow crosses the link from 0 on, and is over long before the fault begins; another flow
    // of other NPUs goes on.
    IdleCase quiet = EightRing("");
    quiet.workload = "flows: [{src: 0, dst: 1, size: 1 MiB}, {src: 3, dst: 4, size: 16 MiB}]";
    const ToldRun before = RunAndTell(quiet);
    quiet.faults = {"link: [npu0, npu1], bandwidth: 1 Gb/s, at: 200 us, until: 250 us"};
    const ToldRun late = RunAndTell(quiet);
    CHECK(late.results.digest == before.results.digest);
    CHECK(
        late.Says("network.faults[0] changed no rate: no frame started on its links while it would "
                  "have had another rate than usual; it had no effect"));

    // All frames of both flows are slow.
    quiet.faults = {"link: all, bandwidth: 100 Gb/s"};
    const ToldRun slow = RunAndTell(quiet);
    CHECK(slow.results.finish > before.results.finish);
    CHECK_FALSE(slow.Says("network.faults["));

    // The frame that starts within the fault is slow. Frames take 83.2 ns, so one starts within
    // any 84 ns of the first flow.
    quiet.faults = {"link: [npu0, npu1], bandwidth: 1 Gb/s, at: 10 us, until: 10.084 us"};
    const ToldRun hit = RunAndTell(quiet);
    CHECK(hit.results.digest != before.results.digest);
    CHECK_FALSE(hit.Says("network.faults[0]"));
}

TEST_CASE("Idle faults: the chance of a loss costs acknowledgements of switches",
          "[component][packet][mechanism]")
{
    IdleCase scene = MakeInNetwork("");
    const ToldRun none = RunAndTell(scene);
    scene.faults = {"link: [npu0, dim0.switch0], loss: 1e-12"};
    const ToldRun lossy = RunAndTell(scene);
    CHECK(lossy.results.finish > none.results.finish);
    CHECK(lossy.Says("network.faults[0] lost no frame at a rate of 1e-12"));
    CHECK_FALSE(lossy.ClaimsNoEffect());

    // Frames wait for longer than the timeout, but nothing is sent again where none is lost.
    IdleCase flows = NineIncast("");
    flows.faults = {"link: [npu1, dim0.switch0], loss: 1e-12"};
    const ToldRun patient = RunAndTell(flows);
    CHECK(patient.Says("lost no frame at a rate of 1e-12; it had no effect"));
    CHECK(patient.results.digest == RunAndTell(NineIncast("")).results.digest);

    // A timeout that is given counts in any case.
    flows.packet = "retransmit-timeout: 100 us";
    const ToldRun again = RunAndTell(flows);
    CHECK(again.results.digest != RunAndTell(NineIncast("")).results.digest);
    CHECK(again.Says("lost no frame at a rate of 1e-12\n"));

    flows.packet = "window: bdp";
    const ToldRun chance = RunAndTell(flows);
    CHECK(chance.Says("lost no frame at a rate of 1e-12; it had no effect"));
    CHECK(chance.results.digest == RunAndTell(NineIncast("window: bdp")).results.digest);
}

TEST_CASE("Idle faults: a fault that comes too late may still stop cut-through",
          "[component][packet][mechanism]")
{
    // A switch that cuts through goes by the highest rate that a port of it ever has.
    IdleCase scene;
    scene.workload = "flows: [{src: 0, dst: 3, size: 1 MiB}]";
    scene.network = "  topology:\n    generator: leaf-spine\n    npus: 4\n    npus-per-leaf: 2\n"
                    "    spines: 1\n    link: {bandwidth: 100 Gb/s, latency: 500 ns}\n";
    scene.packet = "switching: cut-through";
    const ToldRun before = RunAndTell(scene);
    scene.faults = {"at: 10 s, link: [leaf0, spine0], bandwidth: 400 Gb/s"};
    const ToldRun late = RunAndTell(scene);
    CHECK(late.results.finish > before.results.finish);
    CHECK(late.Says("network.faults[0] begins at 10 s"));
    CHECK_FALSE(late.ClaimsNoEffect());
}
