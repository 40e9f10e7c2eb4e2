// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "common/text.h"
#include "workload/document/document-reader.h"
#include "workload/document/proto2-nodes.h"
#include "workload/document/renewed-node.h"
#include "workload/trace/binary-trace.h"
#include "workload/trace/frame-reader.h"
#include "workload/trace/schema-sniffer.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

namespace nadi
{

namespace
{

/// Fills a document from the frames of a file.
///
/// Each frame becomes a message of 1.0.0: frames of 1.0.0 by protobuf's own code, those of proto2
/// with all their attributes and lists (proto2-nodes), and those of 0.0.1 by way of the record that
/// a simulation reads.
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
                ReadMetadata(frame);
                continue;
            }
            m_document.nodes.push_back(ReadNode(frame));
        }
    }

  private:
    void ReadMetadata(std::string_view frame)
    {
        // Traces of 0.0.3, and of a release candidate of 0.0.4, have attributes in the field of the
        // version, whose text is no message.
        if (m_document.origin != TraceSchema::V004)
        {
            m_document.metadata = DecodeProto2Metadata(frame, m_document.origin);
            return;
        }
        Parse(frame, m_document.metadata);
    }

    ChakraProtoMsg::Node ReadNode(std::string_view frame)
    {
        switch (m_document.origin)
        {
        case TraceSchema::V001:
            m_record.Clear();
            DecodeNodeV001(frame, m_record);
            return MakeNode(m_record, m_document.origin);
        case TraceSchema::V002:
        case TraceSchema::V003:
            return DecodeProto2Node(frame, m_document.origin);
        case TraceSchema::V004:
            break;
        }
        ChakraProtoMsg::Node node;
        Parse(frame, node);
        return node;
    }

    template <class Message>
    void Parse(std::string_view frame, Message& message)
    {
        if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size())))
        {
            // Protobuf does not say which of the two it is, nor where in the frame.
            throw WireError(frame.data(), "no message of the schema, or text that is not UTF-8");
        }
    }

    NodeRecord m_record; // of the nodes of 0.0.1
    TraceDocument& m_document;
};

} // namespace

TraceDocument
ReadBinaryDocument(std::string_view contents, const std::string& source)
{
    const google::protobuf::LogSilencer silence; // the error says what protobuf would print
    TraceDocument document;
    document.origin = SniffSchema(contents);
    try
    {
        DocumentFrames(document).Read(contents);
    }
    catch (const WireError& error)
    {
        throw ConfigError(source,
                          fmt::format("byte {}, after {}: {}; the file is cut off or "
                                      "damaged, or no Chakra trace",
                                      error.At() - contents.data(),
                                      CountText(document.nodes.size(), "node"),
                                      error.what()));
    }
    return document;
}

} // namespace nadi
