// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/series-writer.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace nadi;

namespace
{

const std::string HEADER = "time_ns,from,to,queue_bytes,utilization,paused_ns,ecn_marks\n";

/// Link 0 leads from npu0 to `a,b`, link 1 back.
Topology
MakeNpuAndLeaf()
{
    Topology topology;
    const VertexId npu = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId leaf = topology.AddVertex(VertexKind::Switch, "a,b");
    topology.AddLink(npu, leaf, Bandwidth::FromBitsPerSecond(8), SimTime::FromNs(1));
    return topology;
}

std::string
SeriesTextOf(const std::vector<SeriesSample>& series)
{
    std::ostringstream file;
    WriteSeries(series, MakeNpuAndLeaf(), file);
    return file.str();
}

} // namespace

TEST_CASE("WriteSeries: a row per sample, in the order given", "[unit][simulation]")
{
    const std::vector<SeriesSample> series{{.time = SimTime::FromUs(10),
                                            .link = LinkId{1},
                                            .queue = Bytes(4160),
                                            .utilization = 0.25,
                                            .paused = SimTime::FromPs(1500),
                                            .ecnMarks = 3},
                                           {.time = SimTime::FromUs(20),
                                            .link = LinkId{0},
                                            .queue = Bytes(0),
                                            .utilization = 1,
                                            .paused = {}}};
    CHECK(SeriesTextOf(series) == HEADER + "10000.000,\"a,b\",npu0,4160,0.250000,1.500,3\n"
                                           "20000.000,npu0,\"a,b\",0,1.000000,0.000,0\n");
}

TEST_CASE("WriteSeries: only samples that are zero throughout have no row", "[unit][simulation]")
{
    SeriesSample idle;
    idle.time = SimTime::FromUs(10);
    CHECK(SeriesTextOf({idle, idle}) == HEADER);
    CHECK(SeriesTextOf({}) == HEADER);
    SeriesSample queued = idle;
    queued.queue = Bytes(1);
    SeriesSample used = idle;
    used.utilization = 1e-9;
    SeriesSample paused = idle;
    paused.paused = SimTime::FromPs(1);
    SeriesSample marked = idle;
    marked.ecnMarks = 1;
    for (const SeriesSample& sample : {queued, used, paused, marked})
    {
        CHECK(SeriesTextOf({sample}).size() > HEADER.size());
    }
}
