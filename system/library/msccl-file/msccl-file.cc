// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/msccl-file/msccl-file.h"

#include "common/error.h"
#include "common/text.h"
#include "system/library/msccl-file/msccl-gpu-reader.h"
#include "system/library/msccl-file/msccl-order.h"
#include "system/library/msccl-file/xml-element.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

// Both are far above any machine. Channels of a program must stay below 2^24 (ProgramLane).
constexpr uint32_t MOST_GPUS = 1U << 20;
constexpr uint32_t MOST_CHANNELS = 1U << 16;

const std::map<std::string, std::optional<CollectiveType>> MSCCL_COLLECTIVES{
    {"allreduce", CollectiveType::AllReduce},
    {"allgather", CollectiveType::AllGather},
    {"reduce_scatter", CollectiveType::ReduceScatter},
    {"alltoall", CollectiveType::AllToAll},
    {"broadcast", CollectiveType::Broadcast},
    {"reduce", CollectiveType::Reduce},
    {"custom", std::nullopt}};

const std::map<std::string, std::string> PROTOCOLS{
    {"Simple", "Simple"}, {"LL", "LL"}, {"LL128", "LL128"}};

void
ReadAttributes(const XmlElement& element, MscclAlgorithm& algorithm)
{
    // Some attributes are allowed and not read: `outofplace` and `redop` change neither the
    // messages nor their sizes.
    element.CheckAttributes({"name",
                             "proto",
                             "nchannels",
                             "nchunksperloop",
                             "ngpus",
                             "coll",
                             "inplace",
                             "outofplace",
                             "redop",
                             "minBytes",
                             "maxBytes"});
    algorithm.name = element.Text("name");
    algorithm.protocol = element.OneOf("proto", PROTOCOLS);
    algorithm.collective = element.OneOf("coll", MSCCL_COLLECTIVES);
    algorithm.channels = static_cast<uint32_t>(element.Number("nchannels", MOST_CHANNELS));
    algorithm.isInPlace = element.Number("inplace", 1) == 1;
    algorithm.leastBytes = element.Has("minBytes") ? element.Number("minBytes", UINT64_MAX) : 0;
    algorithm.mostBytes =
        element.Has("maxBytes") ? element.Number("maxBytes", UINT64_MAX) : UINT64_MAX;
    if (algorithm.channels == 0)
    {
        element.Fail("nchannels is 0; write 1 or more");
    }
    if (algorithm.leastBytes > algorithm.mostBytes)
    {
        element.Fail("minBytes is above maxBytes; exchange them");
    }
}

/// The second form leaves `nchunksperloop` out: it is the largest buffer's.
uint32_t
ReadChunkCount(const XmlElement& element, const std::vector<XmlElement>& gpus)
{
    uint64_t chunks = 0;
    if (element.Has("nchunksperloop"))
    {
        chunks = element.Number("nchunksperloop", MOST_MSCCL_CHUNKS);
    }
    else
    {
        for (const XmlElement& gpu : gpus)
        {
            chunks = std::max({chunks,
                               gpu.Number("i_chunks", MOST_MSCCL_CHUNKS),
                               gpu.Number("o_chunks", MOST_MSCCL_CHUNKS)});
        }
    }
    if (chunks == 0)
    {
        element.Fail("nchunksperloop is 0; write into how many chunks the buffer is cut");
    }
    return static_cast<uint32_t>(chunks);
}

void
CheckShares(const XmlElement& element, const MscclAlgorithm& algorithm)
{
    // In these collectives each rank has a share of the buffer, which must be whole chunks.
    const bool isCutByRank = algorithm.collective == CollectiveType::AllGather ||
                             algorithm.collective == CollectiveType::ReduceScatter ||
                             algorithm.collective == CollectiveType::AllToAll;
    if (isCutByRank && algorithm.chunks % algorithm.gpus.size() != 0)
    {
        element.Fail(fmt::format("{} cannot be shared among {}; write a multiple of {}",
                                 CountText(algorithm.chunks, "chunk"),
                                 CountText(algorithm.gpus.size(), "GPU"),
                                 algorithm.gpus.size()));
    }
}

void
ReadGpus(const XmlElement& element, MscclAlgorithm& algorithm)
{
    const std::vector<XmlElement> gpus = element.Children({"gpu"});
    const uint64_t count = element.Number("ngpus", MOST_GPUS);
    if (count != gpus.size() || count == 0)
    {
        element.Fail(fmt::format(
            "ngpus is {}, but it has {} <gpu>; write one for each GPU", count, gpus.size()));
    }
    // The number of chunks, and that it can be shared, must be known before GPUs are read: their
    // buffers are checked against shares of it.
    algorithm.chunks = ReadChunkCount(element, gpus);
    algorithm.gpus.resize(gpus.size());
    CheckShares(element, algorithm);
    std::vector<bool> isRead(gpus.size());
    for (const XmlElement& gpu : gpus)
    {
        gpu.CheckAttributes({"id", "i_chunks", "o_chunks", "s_chunks"});
        const uint64_t id = gpu.Number("id", count - 1);
        if (isRead[id])
        {
            gpu.Fail(fmt::format("id {} is given twice; number the GPUs from 0", id));
        }
        isRead[id] = true;
        algorithm.gpus[id] = ReadMscclGpu(gpu, static_cast<uint32_t>(id), algorithm);
    }
}

} // namespace

MscclAlgorithm
ParseMscclAlgorithm(const std::string& text, const std::string& source)
{
    const XmlText xml(text, source);
    const XmlElement root(xml.Root(), xml);
    if (root.Name() != "algo")
    {
        root.Fail("is no algorithm of MSCCL; write <algo ...> with <gpu> elements");
    }
    MscclAlgorithm algorithm;
    algorithm.source = source;
    ReadAttributes(root, algorithm);
    ReadGpus(root, algorithm);
    // These are called for their errors only: messages that do not meet, and steps that wait in a
    // circle.
    OrderMscclSteps(algorithm, MatchMscclMessages(algorithm));
    return algorithm;
}

MscclAlgorithm
ReadMscclAlgorithm(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
    {
        throw ConfigError(path, "cannot be read; name an algorithm of MSCCL, as XML");
    }
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return ParseMscclAlgorithm(text, path);
}

} // namespace nadi
