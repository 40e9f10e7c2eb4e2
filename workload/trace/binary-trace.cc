// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/binary-trace.h"

#include "common/error.h"
#include "common/text.h"
#include "workload/trace/frame-reader.h"
#include "workload/trace/graph-assembler.h"
#include "workload/trace/schema-sniffer.h"
#include "workload/trace/wire-text.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

using FrameDecoder = void (*)(std::string_view frame, NodeRecord& record);

/// 0.0.2 and 0.0.3 have one decoder, which reads the attributes of both. That they number the types
/// of nodes differently, the assembler knows.
FrameDecoder
DecoderOf(TraceSchema schema)
{
    switch (schema)
    {
    case TraceSchema::V001:
        return DecodeNodeV001;
    case TraceSchema::V002:
    case TraceSchema::V003:
        return DecodeNodeV003;
    case TraceSchema::V004:
        break;
    }
    return DecodeNodeV004;
}

/// Hands the frames of a file to an assembler, counting them for messages.
struct FrameWalk
{
    GraphAssembler& assembler;
    FrameDecoder decode;
    uint64_t nodes = 0;

    void Run(std::string_view contents)
    {
        FrameReader frames(contents);
        std::string_view frame;
        // One record for all nodes, so that its lists keep their storage.
        NodeRecord record;
        for (bool isFirst = true; frames.Next(frame); isFirst = false)
        {
            // Only the first frame can be metadata. Further on, an empty frame, which would count
            // as metadata, is a node with default values.
            if (isFirst && IsMetadataFrame(frame))
            {
                assembler.SetMetadata(DecodeMetadata(frame));
                continue;
            }
            record.Clear();
            decode(frame, record);
            // Names go into results, which are UTF-8.
            RequireUtf8(record.name);
            assembler.Add(record);
            ++nodes;
        }
    }
};

} // namespace

TraceFile
ParseBinaryTrace(std::string_view contents, const std::string& source, const TraceReading& reading)
{
    const TraceSchema schema = SniffSchema(contents);
    GraphAssembler assembler(source, schema, reading);
    FrameWalk walk{.assembler = assembler, .decode = DecoderOf(schema)};
    try
    {
        walk.Run(contents);
    }
    catch (const WireError& error)
    {
        // Frames and fields are views of the file, so the place of the error gives its byte.
        throw ConfigError(source,
                          fmt::format("byte {}, after {}: {}; the file is cut off or damaged, "
                                      "or no Chakra trace",
                                      error.At() - contents.data(),
                                      CountText(walk.nodes, "node"),
                                      error.what()));
    }
    return assembler.Finish();
}

} // namespace nadi
