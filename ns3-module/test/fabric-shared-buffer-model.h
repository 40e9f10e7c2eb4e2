// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SHARED_BUFFER_MODEL_H
#define FABRIC_SHARED_BUFFER_MODEL_H

#include "ns3/fabric-shared-buffer.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// The rules of FabricSharedBuffer written the slow and obvious way, without floating point: shares
/// are given in eighths.
class FabricSharedBufferModel
{
  public:
    using Name = std::pair<uint32_t, uint32_t>; ///< port, priority
    using Names = std::vector<Name>;

    FabricSharedBufferModel(const FabricBufferSettings& settings, uint64_t shareInEighths);

    void BeginArrivals();
    bool Store(const Name& ingress, uint32_t bytes, uint64_t egressBytes);
    void Release(const Name& ingress, uint32_t bytes);
    Names TakePauses();
    Names TakeResumes();

    bool IsPaused(const Name& ingress) const;
    uint64_t GetBytes(const Name& ingress) const;
    uint64_t GetStoredBytes() const;

    uint64_t GetMostStoredBytes() const
    {
        return m_mostStored;
    }

  private:
    struct Ingress
    {
        uint64_t pooled = 0;
        uint64_t inHeadroom = 0;
        bool isPaused = false;
        bool hasArrival = false;
    };

    bool CanStore(const Name& name, uint32_t bytes, uint64_t egressBytes) const;
    uint64_t ComputeThreshold() const;

    FabricBufferSettings m_settings;
    uint64_t m_eighths;
    uint64_t m_pool;
    uint64_t m_mostStored = 0;
    std::map<Name, Ingress> m_ingresses;
};

} // namespace ns3

#endif /* FABRIC_SHARED_BUFFER_MODEL_H */
