// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/schema-sniffer.h"

#include "workload/trace/frame-reader.h"

#include <algorithm>

namespace nadi
{

namespace
{

constexpr size_t MOST_FRAMES = 256;       // read to find out
constexpr size_t JSON_BYTES_CHECKED = 64; // enough to meet a length or field key below ' '
constexpr char FIRST_FIELD_IS_TEXT = '\x0a';

/// What the nodes seen so far speak for.
struct Evidence
{
    bool hasMetadata = false;
    bool isModern = false;
    bool isProto2 = false;    // 0.0.2 or 0.0.3
    bool isV002 = false;      // surely
    bool hasMessages = false; // in fields past 2
};

/// Whether an attribute of field 11 has a value where only 0.0.2 puts one of that wire type: a
/// real in field 4, an integer in 5, a text in 6.
bool
IsAttributeOfV002(std::string_view attribute)
{
    WireReader reader(attribute);
    WireField field;
    while (reader.Next(field))
    {
        if (field.Is(4, WireType::Fixed32) || field.Is(4, WireType::Fixed64) ||
            field.Is(5, WireType::Varint) || field.Is(6, WireType::Bytes))
        {
            return true;
        }
    }
    return false;
}

void
WeighBytesField(const WireField& field, Evidence& evidence)
{
    const bool holdsNamed = field.bytes.starts_with(FIRST_FIELD_IS_TEXT);
    evidence.hasMessages |= field.number > 2;
    // In the proto2 schemas field 4 repeats as single numbers, field 10 is text, and field 11 has
    // attributes, which begin with their names. In 0.0.4 dependencies are packed in field 4, field
    // 10 has the attributes, and field 11 of a draft has a storage level.
    evidence.isModern |= field.number == 4 || (field.number == 10 && holdsNamed) ||
                         (field.number == 11 && !holdsNamed);
    // In 0.0.4 these two fields are times, which are no bytes.
    evidence.isProto2 |= field.number == 6 || field.number == 7; // shapes and types of inputs
    if (field.number == 11 && holdsNamed)
    {
        evidence.isProto2 = true;
        evidence.isV002 |= IsAttributeOfV002(field.bytes);
    }
}

/// Looks at fields of bytes alone. The nodes of 0.0.1 have none but their names, which tells that
/// schema from the others (SniffSchema).
void
WeighNode(std::string_view frame, Evidence& evidence)
{
    WireReader reader(frame);
    WireField field;
    while (reader.Next(field))
    {
        if (field.type == WireType::Bytes)
        {
            WeighBytesField(field, evidence);
        }
    }
}

Evidence
CollectEvidence(std::string_view file)
{
    Evidence evidence;
    try
    {
        FrameReader frames(file);
        std::string_view frame;
        for (size_t count = 0; count < MOST_FRAMES && frames.Next(frame); ++count)
        {
            if (count == 0 && IsMetadataFrame(frame))
            {
                evidence.hasMetadata = true;
                continue;
            }
            WeighNode(frame, evidence);
        }
    }
    catch (const WireError&)
    {
        // The file is damaged. What was seen before decides; the reader reports the damage.
    }
    return evidence;
}

} // namespace

bool
IsMetadataFrame(std::string_view frame)
{
    try
    {
        WireReader reader(frame);
        WireField field;
        while (reader.Next(field))
        {
            const bool isAttribute =
                field.number == 2 && field.bytes.starts_with(FIRST_FIELD_IS_TEXT);
            if (field.type != WireType::Bytes || (field.number != 1 && !isAttribute))
            {
                return false;
            }
        }
    }
    catch (const WireError&)
    {
        return false;
    }
    return true;
}

TraceSchema
SniffSchema(std::string_view file)
{
    const Evidence evidence = CollectEvidence(file);
    if (evidence.isProto2 && !evidence.isModern)
    {
        return evidence.isV002 ? TraceSchema::V002 : TraceSchema::V003;
    }
    // Nodes of 0.0.1 are numbers but for their names. Nodes of 0.0.4 without dependencies and
    // attributes look alike, but come after a metadata frame.
    const bool isOldest = !evidence.hasMetadata && !evidence.isModern && !evidence.hasMessages;
    return isOldest ? TraceSchema::V001 : TraceSchema::V004;
}

bool
LooksLikeJson(std::string_view contents)
{
    static constexpr std::string_view SPACE = " \t\r\n";
    const size_t start = contents.find_first_not_of(SPACE);
    if (start == std::string_view::npos || (contents[start] != '{' && contents[start] != '['))
    {
        return false;
    }
    return std::ranges::all_of(contents.substr(0, JSON_BYTES_CHECKED),
                               [](char letter)
                               {
                                   return static_cast<unsigned char>(letter) >= ' ' ||
                                          SPACE.find(letter) != std::string_view::npos;
                               });
}

} // namespace nadi
