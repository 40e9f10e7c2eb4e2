// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/trace-document.h"

#include "common/error.h"
#include "workload/document/document-reader.h"
#include "workload/trace-frame.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/schema-sniffer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace nadi
{

namespace
{

constexpr const char* NEWEST_VERSION = "1.0.0";

} // namespace

TraceDocument
ParseDocument(std::string contents, const std::string& source)
{
    if (IsCompressed(contents))
    {
        contents = Inflate(contents, source);
    }
    if (contents.empty())
    {
        throw ConfigError(source, "is empty; a trace has a frame for each node");
    }
    // The contents decide, not the name of the file.
    return LooksLikeJson(contents) ? ReadJsonDocument(contents, source)
                                   : ReadBinaryDocument(contents, source);
}

TraceDocument
ReadDocument(const std::string& path)
{
    return ParseDocument(ReadFileContents(path), path);
}

std::string
FormatDocument(const TraceDocument& document)
{
    std::string bytes;
    google::protobuf::io::StringOutputStream sink(&bytes);
    google::protobuf::io::CodedOutputStream stream(&sink);
    ChakraProtoMsg::GlobalMetadata metadata = document.metadata;
    if (metadata.version().empty())
    {
        metadata.set_version(NEWEST_VERSION);
    }
    WriteFrame(stream, metadata);
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        WriteFrame(stream, node);
    }
    // The stream takes space in advance. This gives back what it did not write.
    stream.Trim();
    return bytes;
}

} // namespace nadi
