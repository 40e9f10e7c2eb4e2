// SPDX-License-Identifier: GPL-2.0-only
#include "workload/timeline/perfetto-writer.h"

#include <utility>

namespace nadi
{

namespace
{

using perfetto::InternedData;
using perfetto::TracePacket;

/// Packets of one sequence share their names.
constexpr uint32_t SEQUENCE = 1;
/// Field 1 of the whole trace, length-delimited.
constexpr char PACKET_TAG = 1 << 3 | 2;

constexpr int64_t PS_PER_TIMESTAMP = 1000;

/// As the format has it: seven bits in a byte, the lowest first, all but the last marked.
void
WriteLength(std::ostream& out, size_t length)
{
    for (; length >= 0x80; length >>= 7)
    {
        out.put(static_cast<char>(length | 0x80));
    }
    out.put(static_cast<char>(length));
}

} // namespace

void
PerfettoWriter::Describe(const Track& track)
{
    *m_packet.mutable_track_descriptor() = track;
    Write();
}

PerfettoWriter::Event
PerfettoWriter::MakeBegin(uint64_t track, const std::string& category, const std::string& name)
{
    Event event;
    event.set_type(Event::TYPE_SLICE_BEGIN);
    event.set_track_uuid(track);
    event.add_category_iids(Intern(m_categories,
                                   category,
                                   [](InternedData& data)
                                   { return data.mutable_event_categories(); }));
    event.set_name_iid(
        Intern(m_names, name, [](InternedData& data) { return data.mutable_event_names(); }));
    return event;
}

void
PerfettoWriter::Annotate(Event& event, const std::string& name, uint64_t value)
{
    AddAnnotation(event, name).set_uint_value(value);
}

void
PerfettoWriter::Annotate(Event& event, const std::string& name, double value)
{
    AddAnnotation(event, name).set_double_value(value);
}

void
PerfettoWriter::Annotate(Event& event, const std::string& name, const std::string& value)
{
    AddAnnotation(event, name).set_string_value(value);
}

void
PerfettoWriter::Begin(Event event, SimTime at)
{
    WriteEvent(std::move(event), at);
}

void
PerfettoWriter::End(uint64_t track, SimTime at)
{
    Event event;
    event.set_type(Event::TYPE_SLICE_END);
    event.set_track_uuid(track);
    WriteEvent(std::move(event), at);
}

void
PerfettoWriter::Count(uint64_t track, double value, SimTime at)
{
    Event event;
    event.set_type(Event::TYPE_COUNTER);
    event.set_track_uuid(track);
    event.set_double_counter_value(value);
    WriteEvent(std::move(event), at);
}

/// A name is written out once and is a number from then on. It goes with the packet that is the
/// first to use it, which readers see before any other that does.
uint64_t
PerfettoWriter::Intern(
    Names& names,
    const std::string& name,
    google::protobuf::RepeatedPtrField<perfetto::InternedName>* (*fieldOf)(InternedData&))
{
    const auto [entry, isNew] = names.try_emplace(name, names.size() + 1);
    if (isNew)
    {
        perfetto::InternedName& interned = *fieldOf(*m_packet.mutable_interned_data())->Add();
        interned.set_iid(entry->second);
        interned.set_name(name);
    }
    return entry->second;
}

perfetto::DebugAnnotation&
PerfettoWriter::AddAnnotation(Event& event, const std::string& name)
{
    perfetto::DebugAnnotation& annotation = *event.add_debug_annotations();
    annotation.set_name_iid(Intern(m_annotations,
                                   name,
                                   [](InternedData& data)
                                   { return data.mutable_debug_annotation_names(); }));
    return annotation;
}

void
PerfettoWriter::WriteEvent(Event event, SimTime at)
{
    *m_packet.mutable_track_event() = std::move(event);
    m_packet.set_timestamp(static_cast<uint64_t>(at.Ps() / PS_PER_TIMESTAMP));
    Write();
}

/// The first packet tells readers that no number of a name holds before it; each further one tells
/// them that it needs the numbers of those before.
///
/// A trace is one large message whose field 1 repeats. Each packet is written as one such field, so
/// that only one is in memory, however long the trace is.
void
PerfettoWriter::Write()
{
    m_packet.set_trusted_packet_sequence_id(SEQUENCE);
    m_packet.set_sequence_flags(m_isFirst ? TracePacket::SEQ_INCREMENTAL_STATE_CLEARED
                                          : TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
    m_isFirst = false;
    m_packet.SerializeToString(&m_bytes);
    m_out.put(PACKET_TAG);
    WriteLength(m_out, m_bytes.size());
    m_out.write(m_bytes.data(), static_cast<std::streamsize>(m_bytes.size()));
    m_packet.Clear();
}

} // namespace nadi
