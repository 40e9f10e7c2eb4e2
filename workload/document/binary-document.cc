// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "workload/document/document-reader.h"
#include "workload/trace/frame-reader.h"
#include "workload/trace/schema-sniffer.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// Fills a document from the frames of a file.
class DocumentFrames
{
  public:
    explicit DocumentFrames(TraceDocument& document)
        : m_document(document)
    {
    }

    void Read(std::string_view contents)
    {
        FrameReader frames(contents);
        std::string_view frame;
        for (bool isFirst = true; frames.Next(frame); isFirst = false)
        {
            if (isFirst && IsMetadataFrame(frame))
            {
                Parse(frame, m_document.metadata);
                continue;
            }
            Parse(frame, m_document.nodes.emplace_back());
        }
    }

  private:
    template <class Message>
    void Parse(std::string_view frame, Message& message)
    {
        if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size())))
        {
            throw WireError(frame.data(), "no message of the schema, or text that is not UTF-8");
        }
    }

    TraceDocument& m_document;
};

} // namespace

TraceDocument
ReadBinaryDocument(std::string_view contents, const std::string& source)
{
    TraceDocument document;
    document.origin = SniffSchema(contents);
    try
    {
        DocumentFrames(document).Read(contents);
    }
    catch (const WireError& error)
    {
        throw ConfigError(source,
                          fmt::format("byte {}, after {} nodes: {}; the file is cut off or "
                                      "damaged, or no Chakra trace",
                                      error.At() - contents.data(),
                                      document.nodes.size(),
                                      error.what()));
    }
    return document;
}

} // namespace nadi
