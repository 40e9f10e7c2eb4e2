// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "proto/perfetto-subset.pb.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>

namespace nadi
{

/// Writes Perfetto's trace format, packet by packet: names once, the rest as numbers.
///
/// Times are cut to whole nanoseconds, which is what the format counts in.
/// Requires: the stream outlives it.
class PerfettoWriter
{
  public:
    using Event = perfetto::TrackEvent;
    using Track = perfetto::TrackDescriptor;

    explicit PerfettoWriter(std::ostream& out)
        : m_out(out)
    {
    }

    void Describe(const Track& track);

    /// What a slice shows; add annotations and flows to it, then Begin.
    Event MakeBegin(uint64_t track, const std::string& category, const std::string& name);
    void Annotate(Event& event, const std::string& name, uint64_t value);
    void Annotate(Event& event, const std::string& name, double value);
    void Annotate(Event& event, const std::string& name, const std::string& value);

    void Begin(Event event, SimTime at);
    void End(uint64_t track, SimTime at);
    void Count(uint64_t track, double value, SimTime at);

  private:
    /// Names of one kind, numbered from 1 as they come up.
    using Names = std::map<std::string, uint64_t>;

    uint64_t Intern(Names& names,
                    const std::string& name,
                    google::protobuf::RepeatedPtrField<perfetto::InternedName>* (*fieldOf)(
                        perfetto::InternedData&));
    perfetto::DebugAnnotation& AddAnnotation(Event& event, const std::string& name);
    void WriteEvent(Event event, SimTime at);
    void Write();

    std::ostream& m_out;
    Names m_categories;
    Names m_names;
    Names m_annotations;
    perfetto::TracePacket m_packet; // the next to be written
    std::string m_bytes;            // of the one that is written
    bool m_isFirst = true;
};

} // namespace nadi
