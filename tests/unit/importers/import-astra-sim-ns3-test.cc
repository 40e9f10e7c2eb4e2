// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/contains.h"
#include "tests/support/ns3-import-bench.h"

#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <set>
#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::multiset<std::string>
SortedLines(const std::string& text)
{
    std::multiset<std::string> sorted;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
    {
        sorted.insert(line);
    }
    return sorted;
}

/// A mode of CC_MODE, and what it should become of KEYS.
struct Mode
{
    std::string number;
    std::string control;
    std::map<std::string, std::string> parameters;
    int64_t header;
    int64_t controlFrame;
};

} // namespace

TEST_CASE("ImportAstraSim: keys of the ns-3 backend set the packet network", "[unit][importers]")
{
    const Ns3ImportBench importer(With({}));
    const Config config = importer.Read();
    const PacketOptions& packet = config.network.packet;
    CHECK(packet.payload == Bytes{1000});
    CHECK(packet.header == Bytes{48});
    CHECK(packet.controlFrame == Bytes{60});
    CHECK(packet.framesPerAcknowledgement == 1U);
    CHECK(packet.window.kind == WindowChoice::Kind::BandwidthDelayProduct);
    CHECK(packet.buffer == Bytes{32 * 1024 * 1024});
    REQUIRE(packet.pfc);
    CHECK_FALSE(packet.pfc->headroom);
    CHECK(packet.pfc->alpha == 0.125);
    REQUIRE(packet.ecn);
    CHECK(packet.ecn->min == Bytes{800'000});
    CHECK(packet.ecn->max == Bytes{3'200'000});
    CHECK(packet.ecn->probability == 0.2);
    CHECK(packet.lossRecovery == LossRecovery::GoBackN);
    CHECK(config.network.faults.empty());
    CHECK(config.output.flows);
    CHECK(config.system.dimensions == std::vector<uint32_t>{4});

    CHECK(Ns3ImportBench(With({{"HAS_WIN", "0"}})).ReadPacket().window.kind ==
          WindowChoice::Kind::None);
    CHECK(Ns3ImportBench(With({{"PACKET_PAYLOAD_SIZE", "4096"}})).ReadPacket().payload ==
          Bytes{4096});
    CHECK(Ns3ImportBench(With({{"BUFFER_SIZE", "16"}})).ReadPacket().buffer ==
          Bytes{16 * 1024 * 1024});
}

TEST_CASE("ImportAstraSim: CC_MODE chooses the congestion control and its parameters",
          "[unit][importers]")
{
    // HPCC adds five records of 8 B and a count of 2 B to data and acknowledgements, TIMELY a
    // time of 8 B to data; acknowledgements have room for it.
    const Mode mode =
        GENERATE(Mode{"1",
                      "dcqcn",
                      {{"alpha-interval", "1.5 us"},
                       {"decrease-interval", "4 us"},
                       {"increase-interval", "900 us"},
                       {"notification-interval", "0 s"},
                       {"clamp-target", "off"},
                       {"gain", "0.00390625"},
                       {"fast-recovery-stages", "1"},
                       {"additive-increase", "50 Mb/s"},
                       {"hyper-increase", "100 Mb/s"},
                       {"min-rate", "1 Gb/s"}},
                      48,
                      60},
                 Mode{"3",
                      "hpcc",
                      {{"target-utilization", "0.9"},
                       {"max-stage", "5"},
                       {"additive-increase", "50 Mb/s"},
                       {"min-rate", "1 Gb/s"}},
                      48 + 42,
                      60 + 42},
                 Mode{"7",
                      "timely",
                      {{"min-round-trip", "20 us"},
                       {"low-threshold", "50 us"},
                       {"high-threshold", "500 us"},
                       {"additive-increase", "50 Mb/s"},
                       {"hyper-increase", "100 Mb/s"},
                       {"min-rate", "1 Gb/s"}},
                      48 + 8,
                      60},
                 Mode{"8", "dctcp", {{"gain", "0.00390625"}, {"min-rate", "1 Gb/s"}}, 48, 60},
                 Mode{"10", "none", {}, 48, 60},
                 Mode{"12", "none", {}, 48, 60});
    const Ns3ImportBench importer(With({{"CC_MODE", mode.number}}));
    const PacketOptions packet = importer.ReadPacket();
    CAPTURE(mode.number);
    CHECK(packet.congestionControl.name == mode.control);
    for (const auto& [name, value] : mode.parameters)
    {
        CHECK(packet.congestionControl.parameters.at(name) == value);
    }
    CHECK(packet.header == Bytes{mode.header});
    CHECK(packet.controlFrame == Bytes{mode.controlFrame});
    CHECK(Contains(importer.Outcome("CC_MODE"), "congestion-control: " + mode.control));
}

TEST_CASE("ImportAstraSim: parameters of other congestion controls are told", "[unit][importers]")
{
    const Ns3ImportBench none(With({}));
    CHECK(none.Outcome("RP_TIMER") == "nothing: of dcqcn, and CC_MODE 12 is none");
    CHECK(none.Outcome("VAR_WIN") == "nothing: rates do not change");
    CHECK(Contains(none.Outcome("CC_MODE"), "that number chooses no rate control there"));
    const Ns3ImportBench pint(With({{"CC_MODE", "10"}}));
    CHECK(Contains(pint.Outcome("CC_MODE"), "no counterpart: HPCC-PINT; hpcc is the nearest"));
    const Ns3ImportBench hpcc(With({{"CC_MODE", "3"}}));
    CHECK(hpcc.Outcome("RATE_HAI") == "nothing: of dcqcn or timely, and CC_MODE 3 is hpcc");
    CHECK(hpcc.Outcome("VAR_WIN") == "the same: hpcc's window follows its rate");
    const Ns3ImportBench dcqcn(With({{"CC_MODE", "1"}}));
    CHECK(dcqcn.Outcome("VAR_WIN") == "no counterpart: dcqcn's window is fixed");
}

TEST_CASE("ImportAstraSim: controls that keep a window where HAS_WIN is 0 are told",
          "[unit][importers]")
{
    const auto lines = [](const std::string& mode, const std::string& hasWindow) {
        return Ns3ImportBench(With({{"CC_MODE", mode}, {"HAS_WIN", hasWindow}})).Lines();
    };
    for (const auto& [mode, control] :
         {std::pair<std::string, std::string>{"3", "hpcc"}, {"8", "dctcp"}})
    {
        const std::string kept = "HAS_WIN: 0 -> no counterpart: " + control +
                                 " keeps a window of its own; there it has none, and only its rate "
                                 "limits a queue pair\n";
        CHECK(Contains(lines(mode, "0"), kept));
        CHECK(Contains(lines(mode, "0"), "HAS_WIN: 0 -> network.packet.window: none\n"));
        CHECK_FALSE(Contains(lines(mode, "1"), "keeps a window"));
    }
    CHECK_FALSE(Contains(lines("1", "0"), "keeps a window"));
    CHECK_FALSE(Contains(lines("12", "0"), "keeps a window"));
}

TEST_CASE("ImportAstraSim: every key of the ns-3 backend has a line, known or not",
          "[unit][importers]")
{
    const Ns3ImportBench importer(With({}) + "RP_TMER 900\nSOMETHING_ELSE 1 2\nEMPTY\n");
    for (const auto& [key, value] : KEYS)
    {
        CAPTURE(key);
        CHECK_FALSE(importer.Outcome(key).empty());
        CHECK_FALSE(Contains(importer.Outcome(key), "unknown"));
    }
    CHECK(importer.Outcome("RP_TMER") == "unknown key, left out (did you mean RP_TIMER?)");
    CHECK(importer.Outcome("SOMETHING_ELSE") == "unknown key, left out");
    CHECK(importer.Outcome("EMPTY") == "unknown key, left out");
    CHECK(Contains(importer.Lines(),
                   "config.txt:48: BUFFER_SIZE: 32 -> network.packet.buffer: 32 MiB (MB of 2^20 "
                   "bytes); pfc: on, as always there\n"));
}

TEST_CASE("ImportAstraSim: flags that say what Nadi does differ from those that do not",
          "[unit][importers]")
{
    // The key, the value that Nadi has too, the other one.
    const std::vector<std::array<std::string, 3>> flags{{"USE_DYNAMIC_PFC_THRESHOLD", "1", "0"},
                                                        {"L2_BACK_TO_ZERO", "0", "1"},
                                                        {"GLOBAL_T", "0", "1"},
                                                        {"FAST_REACT", "1", "0"},
                                                        {"MULTI_RATE", "0", "1"},
                                                        {"SAMPLE_FEEDBACK", "0", "1"},
                                                        {"NIC_TOTAL_PAUSE_TIME", "0", "3"},
                                                        {"RATE_BOUND", "1", "0"},
                                                        {"ACK_HIGH_PRIO", "1", "0"}};
    for (const auto& [key, same, other] : flags)
    {
        CAPTURE(key);
        CHECK(Ns3ImportBench(With({{key, same}})).Outcome(key).starts_with("the same: "));
        CHECK(Ns3ImportBench(With({{key, other}})).Outcome(key).starts_with("no counterpart: "));
    }
}

TEST_CASE("ImportAstraSim: one pair of thresholds stands for all ports", "[unit][importers]")
{
    // Of eight ports of switches four have 100 Gb/s and four 400 Gb/s: the lower rate decides.
    const Ns3ImportBench even(With({}), TREE);
    CHECK(even.ReadPacket().ecn->min == Bytes{400'000});
    CHECK(even.Outcome("KMIN_MAP") ==
          "network.packet.ecn.min: 400 KB, of 100 Gb/s; one for all ports here, there 800 KB for 4 "
          "ports of 400 Gb/s");
    CHECK(even.Outcome("PMAX_MAP") == "network.packet.ecn.probability: 0.2, of 100 Gb/s");
    CHECK(Contains(even.Outcome("BUFFER_SIZE"), "more there for ports faster than NICs"));

    // A link more between the switches: six ports of 400 Gb/s.
    std::string wide = TREE + "6 5 400Gbps 2us 0\n";
    wide.replace(0, 5, "7 3 7");
    CHECK(Ns3ImportBench(With({}), wide).ReadPacket().ecn->min == Bytes{800'000});

    const Ns3ImportBench always(
        With({{"KMIN_MAP", "1 400000000000 0"}, {"KMAX_MAP", "1 400000000000 0"}}));
    CHECK(always.ReadPacket().ecn->min == Bytes{0});
    CHECK(always.ReadPacket().ecn->max == Bytes{1});

    const Ns3ImportBench off(With({{"ENABLE_QCN", "0"}}));
    CHECK_FALSE(off.ReadPacket().ecn);
    CHECK(off.Outcome("KMAX_MAP") == "nothing: ENABLE_QCN is 0");
}

TEST_CASE("ImportAstraSim: a ring without switches has the thresholds of its links",
          "[unit][importers]")
{
    const Ns3ImportBench importer(With({}), "2 0 1\n\n0 1 100Gbps 5us 0\n", "[2]");
    CHECK(importer.ReadPacket().ecn->min == Bytes{400'000});
    CHECK(importer.Outcome("switches") == "c-topology.yaml: none");
}

TEST_CASE("ImportAstraSim: losses and a failing link become faults", "[unit][importers]")
{
    const Ns3ImportBench all(With({{"ERROR_RATE_PER_LINK", "0.001"}, {"LINK_DOWN", "300 1 4"}}));
    const NetworkConfig network = all.Read().network;
    REQUIRE(network.faults.size() == 2);
    CHECK(network.faults[0].loss == 0.001);
    CHECK_FALSE(network.faults[0].link);
    // The source adds two seconds, and finds new routes at once.
    CHECK(network.faults[1].at == SimTime::FromUs(2'000'300));
    CHECK(network.faults[1].isDown);
    REQUIRE(network.faults[1].link);
    CHECK(network.packet.rerouteAfter == SimTime{});

    std::string own = STAR;
    own.replace(own.find("bps 500ns 0"), 11, "bps 500ns 0.25");
    const auto faults = Ns3ImportBench(With({}), own).Read().network.faults;
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].loss == 0.25);
    CHECK(faults[0].link);

    const auto mixed =
        Ns3ImportBench(With({{"ERROR_RATE_PER_LINK", "0.001"}}), own).Read().network.faults;
    REQUIRE(mixed.size() == 4);
    CHECK(mixed[0].loss == 0.001);
    CHECK(mixed[2].loss == 0.25);
}

TEST_CASE("ImportAstraSim: absent keys have the source's defaults", "[unit][importers]")
{
    const Ns3ImportBench importer(With({{"PACKET_PAYLOAD_SIZE", ""},
                                        {"CC_MODE", ""},
                                        {"ENABLE_QCN", ""},
                                        {"HAS_WIN", ""},
                                        {"BUFFER_SIZE", ""}}));
    const PacketOptions packet = importer.ReadPacket();
    CHECK(packet.payload == Bytes{1000});
    CHECK(packet.congestionControl.name == "dcqcn");
    CHECK(packet.ecn);
    CHECK(packet.window.kind == WindowChoice::Kind::BandwidthDelayProduct);
    CHECK(packet.buffer == Bytes{16 * 1024 * 1024});
    CHECK(Contains(importer.Lines(), "config.txt (default): HAS_WIN: 1 -> network.packet.window"));
}

TEST_CASE("ImportAstraSim: absent parameters of rate controls have the source's defaults",
          "[unit][importers]")
{
    const std::map<std::string, std::string> absent{{"ALPHA_RESUME_INTERVAL", ""},
                                                    {"RATE_DECREASE_INTERVAL", ""},
                                                    {"FAST_RECOVERY_TIMES", ""},
                                                    {"CLAMP_TARGET_RATE", ""},
                                                    {"MIN_RATE", ""},
                                                    {"U_TARGET", ""},
                                                    {"MI_THRESH", ""},
                                                    {"L2_ACK_INTERVAL", ""}};
    auto changes = absent;
    changes["CC_MODE"] = "1";
    const PacketOptions dcqcn = Ns3ImportBench(With(changes)).ReadPacket();
    const auto& parameters = dcqcn.congestionControl.parameters;
    CHECK(parameters.at("alpha-interval") == "55 us");
    CHECK(parameters.at("decrease-interval") == "4 us");
    CHECK(parameters.at("fast-recovery-stages") == "5");
    CHECK(parameters.at("clamp-target") == "off");
    CHECK(parameters.at("min-rate") == "100 Mb/s");
    CHECK(dcqcn.framesPerAcknowledgement == 1U);
    changes["CC_MODE"] = "3";
    const auto hpcc = Ns3ImportBench(With(changes)).ReadPacket().congestionControl.parameters;
    CHECK(hpcc.at("target-utilization") == "0.95");
    CHECK(hpcc.at("max-stage") == "5");
}

TEST_CASE("ImportAstraSim: absent switches of the ns-3 backend have a line each",
          "[unit][importers]")
{
    // The default there, and whether Nadi does so.
    const std::map<std::string, bool> switches{{"USE_DYNAMIC_PFC_THRESHOLD", true},
                                               {"L2_BACK_TO_ZERO", true},
                                               {"GLOBAL_T", false},
                                               {"FAST_REACT", true},
                                               {"MULTI_RATE", false},
                                               {"SAMPLE_FEEDBACK", true},
                                               {"NIC_TOTAL_PAUSE_TIME", true},
                                               {"RATE_BOUND", true},
                                               {"ACK_HIGH_PRIO", false}};
    for (const auto& [key, isSame] : switches)
    {
        CAPTURE(key);
        CHECK(Ns3ImportBench(With({{key, ""}}))
                  .Outcome(key)
                  .starts_with(isSame ? "the same: " : "no counterpart: "));
    }
}

TEST_CASE("ImportAstraSim: a default that no rate control works with is told", "[unit][importers]")
{
    const std::map<std::string, std::string> changes{
        {"CC_MODE", "1"}, {"EWMA_GAIN", ""}, {"RP_TIMER", ""}, {"RATE_AI", ""}, {"RATE_HAI", ""}};
    const Ns3ImportBench importer(With(changes));
    for (const char* key : {"EWMA_GAIN", "RP_TIMER", "RATE_AI", "RATE_HAI"})
    {
        CHECK(importer.Outcome(key) ==
              "no counterpart: nothing works with that there; Nadi's default is taken");
    }
    CHECK(Ns3ImportBench(With({{"EWMA_GAIN", ""}})).Outcome("EWMA_GAIN").empty());
}

TEST_CASE("ImportAstraSim: the JSON form of the ns-3 backend says the same as the lines",
          "[unit][importers]")
{
    const std::string json = R"({
  "files": {"topology_file": "t.txt", "fct_output_file": "fct.txt"},
  "switch": {"enable_qcn": true, "use_dynamic_pfc_threshold": true, "buffer_size": 32},
  "packet": {"payload_size": 1000, "l2_ack_interval": 1, "l2_back_to_zero": false,
             "error_rate_per_link": 0.001},
  "congestion_control": {"cc_mode": 3, "rate_ai": "50Mb/s", "min_rate": "1000Mb/s",
                         "u_target": 0.9, "mi_thresh": 5, "has_win": 1},
  "simulator": {"stop_time": 40000000000000.00},
  "link": {"link_down_time": 300, "link_down_a": 1, "link_down_b": 4},
  "ecn": {"kmax_map": {"400000000000": 3200}, "kmin_map": {"400000000000": 800},
          "pmax_map": {"400000000000": 0.2}},
  "queue_monitor": {"start": 0, "end": 20000}
})";
    const std::string fromLines =
        Ns3ImportBench(
            With({{"CC_MODE", "3"}, {"ERROR_RATE_PER_LINK", "0.001"}, {"LINK_DOWN", "300 1 4"}}))
            .Run()
            .yaml;
    const Ns3ImportBench importer(json);
    CHECK(SortedLines(importer.Run().yaml) == SortedLines(fromLines));
    CHECK(Contains(importer.Lines(), "config.txt:3: BUFFER_SIZE: 32 -> "));
    CHECK(Contains(importer.Outcome("QLEN_MON_START"), "output.series"));
    CHECK(Contains(importer.Outcome("SIMULATOR_STOP_TIME"), "a run ends with its job"));
}

TEST_CASE("ImportAstraSim: an empty list in JSON is no failure of a link", "[unit][importers]")
{
    CHECK(
        Ns3ImportBench(
            R"({"files": {"topology_file": "t.txt"}, "switch": {"enable_qcn": false}, "link": {"link_down": []}})")
            .Error() == "config.txt:1: LINK_DOWN: is not valid; write a time in us and two nodes");
}

TEST_CASE("ImportAstraSim: what is wrong in a configuration of the ns-3 backend is named",
          "[unit][importers]")
{
    const auto error = [](const std::map<std::string, std::string>& changes)
    { return Ns3ImportBench(With(changes)).Error(); };
    CHECK(error({{"TOPOLOGY_FILE", "none.txt"}}) ==
          "config.txt:4: TOPOLOGY_FILE: there is no file \"none.txt\", neither from the directory "
          "of this file nor from here; write its path");
    CHECK(error({{"TOPOLOGY_FILE", ""}}) ==
          "config.txt:1: key TOPOLOGY_FILE is missing; name the file of nodes and links");
    CHECK(error({{"RATE_AI", "fast"}}) ==
          "config.txt:21: RATE_AI: \"fast\" is not a rate; write one above 0 such as 400Gbps");
    CHECK(error({{"RP_TIMER", "1e3"}}) ==
          "config.txt:18: RP_TIMER: \"1e3\" is not valid; write a number of microseconds");
    CHECK(error({{"HAS_WIN", "yes"}}) ==
          "config.txt:29: HAS_WIN: \"yes\" is not valid; write a number from 0");
    CHECK(error({{"EWMA_GAIN", "2"}}) ==
          "config.txt:19: EWMA_GAIN: \"2\" is not valid; write a number from 0 to 1");
    CHECK(error({{"KMIN_MAP", "1 100000000000 400"}}) ==
          "config.txt:46: KMIN_MAP: has no value for 400 Gb/s, the rate of 4 ports; add one");
    CHECK(
        error({{"KMIN_MAP", "2 400000000000"}}) ==
        "config.txt:46: KMIN_MAP: has 1 words after a count of 2; write two for each: rate value");
    CHECK(error({{"KMIN_MAP", "1 400000000000 4000"}}) ==
          "config.txt:46: KMIN_MAP: has more than KMAX_MAP for 400 Gb/s; write at most that");
    CHECK(error({{"KMIN_MAP", ""}}) ==
          "config.txt:1: key KMIN_MAP is missing; ENABLE_QCN needs it");
    CHECK(error({{"LINK_DOWN", "5 0 9"}}) ==
          "config.txt:43: LINK_DOWN[2]: node 9 does not exist; ids go from 0 to 4");
    CHECK(error({{"LINK_DOWN", "5"}}) ==
          "config.txt:43: LINK_DOWN: is not valid; write a time in us and two nodes");
    CHECK(error({{"LINK_DOWN", "5 0 1"}}) ==
          "config.txt:43: LINK_DOWN: no link joins npu0 and npu1; name the two ends of one");
    CHECK(Ns3ImportBench(With({}) + "CC_MODE 1\n").Error() ==
          "config.txt:49: CC_MODE: is given twice; write it once");
    CHECK(Ns3ImportBench(With({}), STAR, "[4, 2]").Error() ==
          "l.json:1: logical-dims: [4, 2] has 8 NPUs, but the topology has 4 hosts; write sizes "
          "whose product is that");
    Ns3ImportBench flat(With({}));
    flat.Inputs().logicalTopology.reset();
    CHECK(flat.Error() ==
          "--logical-topology: is missing; collectives on a network of the ns-3 backend follow it, "
          "such as {\"logical-dims\": [\"8\"]}");
}
