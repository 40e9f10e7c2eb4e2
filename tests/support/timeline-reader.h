// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "proto/perfetto-subset.pb.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi::test
{

/// A slice as a reader of the format sees it. Times in whole nanoseconds.
struct DrawnSlice
{
    std::string name;
    std::string category;
    uint64_t start = 0;
    uint64_t end = 0;
    std::map<std::string, double> numbers;
    std::map<std::string, std::string> words;
    std::vector<uint64_t> flows;    ///< that begin here
    std::vector<uint64_t> flowEnds; ///< that end here
};

/// A track with what is on it, in the order of the file.
struct DrawnTrack
{
    std::string name;
    std::string process;
    std::vector<DrawnSlice> slices;
    std::vector<std::pair<uint64_t, double>> values; ///< of a counter: (time, value)
};

/// Whether a slice may lie within another one of its track. Those of a run never do.
enum class Nesting : uint8_t
{
    Refused,
    Allowed,
};

/// Reads a timeline by the rules of the format, and checks them: names are known when they are
/// used, tracks are described before, events of a track come in order of time, slices end.
class TimelineReader
{
  public:
    explicit TimelineReader(const std::string& bytes, Nesting nesting = Nesting::Refused)
        : m_nesting(nesting)
    {
        perfetto::Trace trace;
        NADI_CHECK(trace.ParseFromString(bytes) && trace.packet_size() > 0);
        NADI_CHECK(trace.packet(0).sequence_flags() ==
                   perfetto::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED);
        for (const perfetto::TracePacket& packet : trace.packet())
        {
            NADI_CHECK(packet.trusted_packet_sequence_id() != 0);
            Read(packet);
        }
        for (const auto& [uuid, open] : m_open)
        {
            NADI_CHECK(open.empty());
        }
    }

    std::vector<DrawnTrack> Tracks() const
    {
        std::vector<DrawnTrack> tracks;
        for (const auto& [uuid, track] : m_tracks)
        {
            tracks.push_back(track);
        }
        return tracks;
    }

    /// Of a process, in the order of its tracks.
    std::vector<DrawnSlice> Slices(const std::string& process, const std::string& category) const
    {
        std::vector<DrawnSlice> slices;
        for (const auto& [uuid, track] : m_tracks)
        {
            for (const DrawnSlice& slice : track.slices)
            {
                if (track.process == process && slice.category == category)
                {
                    slices.push_back(slice);
                }
            }
        }
        return slices;
    }

    size_t SliceCount() const
    {
        size_t count = 0;
        for (const auto& [uuid, track] : m_tracks)
        {
            count += track.slices.size();
        }
        return count;
    }

  private:
    using Names = std::map<uint64_t, std::string>;
    using Interned = google::protobuf::RepeatedPtrField<perfetto::InternedName>;

    void Read(const perfetto::TracePacket& packet)
    {
        Learn(m_categories, packet.interned_data().event_categories());
        Learn(m_names, packet.interned_data().event_names());
        Learn(m_annotations, packet.interned_data().debug_annotation_names());
        if (packet.has_track_descriptor())
        {
            Describe(packet.track_descriptor());
        }
        if (packet.has_track_event())
        {
            Draw(packet.track_event(), packet.timestamp());
        }
    }

    static void Learn(Names& names, const Interned& news)
    {
        for (const perfetto::InternedName& name : news)
        {
            NADI_CHECK(name.iid() != 0 && names.emplace(name.iid(), name.name()).second);
        }
    }

    void Describe(const perfetto::TrackDescriptor& track)
    {
        NADI_CHECK(track.uuid() != 0);
        if (track.has_process())
        {
            NADI_CHECK(track.process().pid() > 0);
            NADI_CHECK(m_processes.emplace(track.uuid(), track.process().process_name()).second);
            return;
        }
        const DrawnTrack drawn{track.name(), m_processes.at(track.parent_uuid()), {}, {}};
        NADI_CHECK(m_tracks.emplace(track.uuid(), drawn).second);
    }

    void Draw(const perfetto::TrackEvent& event, uint64_t time)
    {
        DrawnTrack& track = m_tracks.at(event.track_uuid());
        NADI_CHECK(time >= m_last[event.track_uuid()]);
        m_last[event.track_uuid()] = time;
        std::vector<size_t>& open = m_open[event.track_uuid()];
        switch (event.type())
        {
        case perfetto::TrackEvent::TYPE_SLICE_BEGIN:
            NADI_CHECK(open.empty() || m_nesting == Nesting::Allowed);
            open.push_back(track.slices.size());
            track.slices.push_back(MakeSlice(event, time));
            break;
        case perfetto::TrackEvent::TYPE_SLICE_END:
            NADI_CHECK(!open.empty());
            track.slices[open.back()].end = time; // the one that began last
            open.pop_back();
            break;
        default:
            NADI_CHECK(event.type() == perfetto::TrackEvent::TYPE_COUNTER);
            track.values.emplace_back(time, event.double_counter_value());
        }
    }

    DrawnSlice MakeSlice(const perfetto::TrackEvent& event, uint64_t time) const
    {
        DrawnSlice slice;
        slice.name = m_names.at(event.name_iid());
        slice.category = m_categories.at(event.category_iids(0));
        slice.start = time;
        for (const perfetto::DebugAnnotation& note : event.debug_annotations())
        {
            const std::string& name = m_annotations.at(note.name_iid());
            if (note.has_string_value())
            {
                slice.words[name] = note.string_value();
                continue;
            }
            slice.numbers[name] = note.has_double_value() ? note.double_value()
                                                          : static_cast<double>(note.uint_value());
        }
        slice.flows.assign(event.flow_ids().begin(), event.flow_ids().end());
        slice.flowEnds.assign(event.terminating_flow_ids().begin(),
                              event.terminating_flow_ids().end());
        return slice;
    }

    Names m_categories;
    Names m_names;
    Names m_annotations;
    std::map<uint64_t, std::string> m_processes;
    std::map<uint64_t, DrawnTrack> m_tracks;
    std::map<uint64_t, uint64_t> m_last;
    std::map<uint64_t, std::vector<size_t>> m_open; // slices of a track, by place there
    Nesting m_nesting;
};

} // namespace nadi::test
