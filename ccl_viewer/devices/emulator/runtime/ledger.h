// The ledger of the traced build: counts memory accesses of a launch as the warps of a GPU would
// make them. The host requests it (Request::ledger).
//
// A GPU executes a load for all lanes of a warp together. Here threads run one after the other, so
// each thread's accesses are logged first. When a warp ends, or when all its lanes meet at a
// barrier or in a warp operation, its logs are combined: the lanes' first accesses at a place in
// the code are one access of the warp, their second accesses there are the next one, and so on. The
// ledger counts for each access
//
// - in device memory: the 32-byte sectors that it touches, and how many would suffice. Atomics on
//   one address run one after the other, and each touches its sector again;
// - in shared memory: the turns of the banks. A bank serves one word per turn, to all lanes that
//   request it;
// - for atomics: the lanes that meet at one address.
//
// Consecutive loads of one thread at one place in the code, each at the address that the previous
// value names, are a walk, usually to a root.

#pragma once

#include "memcheck.h"
#include "state.h"

CCL_RUNTIME_BEGIN
namespace ccl {

constexpr u32 kSharedMemory = 255;    // buffer of an access, in addition to the buffers' indices
constexpr u32 kMostLedgerSites = 1024;
constexpr u32 kSiteTable = 4096;
constexpr u32 kChunkEntries = 15;
constexpr u32 kMostLaneEntries = 8190;  // a warp with a longer log is counted early
static_assert(kMostLaneEntries % kChunkEntries == 0, "it is looked at when a chunk is full");
constexpr u32 kNoChunk = ~0u;

// One access of one thread.
struct LedgerEntry {
  u64 address;
  u32 value;  // the loaded value, low bytes
  u16 site;   // index among the ledger's sites
  u16 turn;   // number of earlier accesses of the thread at this site
};

struct LedgerChunk {
  LedgerEntry entries[kChunkEntries];
  u32 next;
  u32 padding[3];
};

// The log of a thread.
struct LedgerLog {
  u32 first;
  u32 last;
  u32 count;
};

// One access of a warp: the accesses of its lanes at a place in the code.
struct WarpAccess {
  u32 lanes;
  u64 addresses[32];
};

extern "C" CCL_HIDDEN Ledger *ccl_ledger;  // null to count nothing
CCL_VARIABLE(Ledger *ccl_ledger;)

static u16 ccl_site_table[kSiteTable];  // index + 1 of a site, by the hash of its address

CCL_INLINE bool counting() {
#if CCL_TRACED
  return CCL_UNLIKELY(ccl_ledger != nullptr);
#else
  return false;
#endif
}

// ---------------------------------------------------------------------------------------------
// Logs

inline LedgerChunk *ledger_chunks() { return reinterpret_cast<LedgerChunk *>(ccl_ledger->chunks); }
inline LedgerLog *ledger_logs() { return reinterpret_cast<LedgerLog *>(ccl_ledger->logs); }

inline void begin_ledger(Ledger *ledger, u32 slots) {
  ccl_ledger = ledger;
  if (!ledger) return;
  ledger->site_count = ledger->free_chunk = ledger->chunks_used = 0;
  ledger->round = 1;
  __builtin_memset(ccl_site_table, 0, sizeof ccl_site_table);
  for (u32 slot = 0; slot < slots; ++slot) ledger_logs()[slot] = {kNoChunk, kNoChunk, 0};
}

// Returns the index of a place in the code that accesses a buffer or shared memory. When the table
// is full, all further places share the last index.
inline u32 ledger_site(u64 address, u32 buffer, u32 kind, u32 bytes) {
  Ledger &ledger = *ccl_ledger;
  u64 key = (address * 31 + buffer) * 0x9E3779B97F4A7C15ull;
  for (u32 at = static_cast<u32>(key >> 52);; at = (at + 1) % kSiteTable) {
    u32 found = ccl_site_table[at];
    if (found) {
      const LedgerSite &site = ledger.sites[found - 1];
      if (site.address == address && site.buffer == buffer) return found - 1;
      continue;
    }
    if (ledger.site_count == kMostLedgerSites) return kMostLedgerSites - 1;
    u32 index = static_cast<u32>(ledger.site_count++);
    LedgerSite &site = ledger.sites[index];
    site = {};
    site.address = address;
    site.buffer = buffer;
    site.kind = kind;
    site.bytes = bytes;
    ccl_site_table[at] = static_cast<u16>(index + 1);
    return index;
  }
}

inline u32 take_chunk() {
  Ledger &ledger = *ccl_ledger;
  if (ledger.free_chunk) {
    u32 chunk = static_cast<u32>(ledger.free_chunk - 1);
    ledger.free_chunk = ledger_chunks()[chunk].next;
    return chunk;
  }
  if (ledger.chunks_used == ledger.chunk_count) return kNoChunk;
  return static_cast<u32>(ledger.chunks_used++);
}

inline void give_chunks_back(LedgerLog &log) {
  while (log.first != kNoChunk) {
    LedgerChunk &chunk = ledger_chunks()[log.first];
    u32 next = log.first == log.last ? kNoChunk : chunk.next;
    chunk.next = static_cast<u32>(ccl_ledger->free_chunk);
    ccl_ledger->free_chunk = log.first + 1;
    log.first = next;
  }
  log = {kNoChunk, kNoChunk, 0};
}

// ---------------------------------------------------------------------------------------------
// Counting the accesses of a warp

// Returns the number of distinct values among at most 64.
struct Distinct {
  u64 values[64];
  u32 count = 0;
  CCL_INLINE void add(u64 value) {
    for (u32 i = count; i-- > 0;)
      if (values[i] == value) return;
    if (count < 64) values[count++] = value;
  }
};

// Numbers of addresses and sectors that the lanes of a warp access.
struct Touched {
  u32 addresses;
  u32 sectors;
};

// Faster, for addresses that ascend from lane to lane, as in most accesses; false if they do not.
inline bool count_rising(const WarpAccess &access, u64 bytes, Touched &touched) {
  u64 before = 0, next_sector = 0;  // the first that is not counted yet
  touched = {0, 0};
  for (u32 rest = access.lanes; rest; rest &= rest - 1) {
    u64 address = access.addresses[__builtin_ctz(rest)];
    if (address < before) return false;
    u64 first = address / 32, end = (address + bytes - 1) / 32 + 1;
    if (first < next_sector) first = next_sector;
    touched.addresses += address != before;
    if (end > first) touched.sectors += static_cast<u32>(end - first);
    if (end > next_sector) next_sector = end;
    before = address;
  }
  return true;
}

inline Touched count_touched(const WarpAccess &access, u64 bytes) {
  Touched touched;
  if (count_rising(access, bytes, touched)) return touched;
  Distinct sectors, addresses;
  for (u32 rest = access.lanes; rest; rest &= rest - 1) {
    u64 address = access.addresses[__builtin_ctz(rest)];
    addresses.add(address);
    sectors.add(address / 32);
    sectors.add((address + bytes - 1) / 32);
  }
  return {addresses.count, sectors.count};
}

// Counts the sector accesses of a warp's atomics: each sector counts as often as there are lanes on
// its busiest address. The counters of GPUs do the same.
inline u32 count_atomic_sectors(const WarpAccess &access) {
  u32 found = 0;
  for (u32 rest = access.lanes; rest;) {
    u64 sector = access.addresses[__builtin_ctz(rest)] / 32;
    u32 lanes_on[32] = {}, most = 0;  // one per byte of the sector
    for (u32 others = rest; others; others &= others - 1) {
      u32 lane = static_cast<u32>(__builtin_ctz(others));
      if (access.addresses[lane] / 32 != sector) continue;
      u32 same = ++lanes_on[access.addresses[lane] % 32];
      if (same > most) most = same;
      rest &= ~(1u << lane);
    }
    found += most;
  }
  return found;
}

inline void count_sectors(LedgerSite &site, const WarpAccess &access) {
  Touched touched = count_touched(access, site.bytes);
  if (site.kind == kAtomic) touched.sectors = count_atomic_sectors(access);
  site.transactions += touched.sectors;
  site.minimum_transactions += (touched.addresses * site.bytes + 31) / 32;
  if (touched.sectors > site.worst_transactions) site.worst_transactions = touched.sectors;
}

// Wide accesses are served for half or a quarter of the warp at a time.
inline void count_bank_turns(LedgerSite &site, const WarpAccess &access) {
  u32 words = site.bytes < 4 ? 1 : static_cast<u32>(site.bytes / 4);
  u32 together = 32 / words;
  for (u32 first = 0; first < 32; first += together) {
    u32 part = together == 32 ? ~0u : ((1u << together) - 1) << first;
    if (!(access.lanes & part)) continue;
    Distinct different;
    for (u32 rest = access.lanes & part; rest; rest &= rest - 1)
      for (u32 word = 0; word < words; ++word)
        different.add(access.addresses[__builtin_ctz(rest)] / 4 + word);
    u32 banks[32] = {}, turns = 0;
    for (u32 i = 0; i < different.count; ++i) {
      u32 waiting = ++banks[different.values[i] % 32];
      if (waiting > turns) turns = waiting;
    }
    site.transactions += turns;
    site.minimum_transactions += 1;
    if (turns > site.worst_transactions) site.worst_transactions = turns;
  }
}

inline void count_address_conflicts(LedgerSite &site, const WarpAccess &access) {
  u32 most = 0;
  for (u32 rest = access.lanes; rest; rest &= rest - 1) {
    u32 same = 0;
    u64 address = access.addresses[__builtin_ctz(rest)];
    for (u32 others = rest; others; others &= others - 1)
      same += access.addresses[__builtin_ctz(others)] == address;
    if (same > most) most = same;
  }
  site.address_conflicts += most;
  if (most > site.most_address_conflicts) site.most_address_conflicts = most;
}

inline void count_warp_access(LedgerSite &site, const WarpAccess &access) {
  site.requests += 1;
  site.accesses += static_cast<u32>(__builtin_popcount(access.lanes));
  if (site.buffer == kSharedMemory)
    count_bank_turns(site, access);
  else
    count_sectors(site, access);
  if (site.kind == kAtomic) count_address_conflicts(site, access);
}

inline void count_walk(LedgerSite &site, u32 length) {
  site.walks += 1;
  site.walk_steps += length;
  if (length > site.longest_walk) site.longest_walk = length;
  site.walk_lengths[length < kWalkLengths ? length - 1 : kWalkLengths - 1] += 1;
}

// Whether a load is at the element that the previously loaded value names: its index or a
// neighbouring one, since papers count from 0 or 1, or the index's complement.
inline bool goes_on(const LedgerSite &site, const LedgerEntry &from, const LedgerEntry &to) {
  if (from.site != to.site || site.kind != kLoad || site.buffer == kSharedMemory) return false;
  if (to.address == from.address) return false;
  u64 begin = ccl_engine.request->ranges[site.buffer].begin;
  u32 element = static_cast<u32>((to.address - begin) / site.bytes);
  return element + 1 - from.value <= 2 || element == ~from.value;
}

// Goes through a thread's log, counts its walks, and numbers the accesses at each site.
inline void read_log(const LedgerLog &log, u32 *turns) {
  LedgerEntry *before = nullptr;
  u32 length = 0, chunk = log.first;
  for (u32 done = 0; done < log.count; chunk = ledger_chunks()[chunk].next)
    for (u32 i = 0; i < kChunkEntries && done < log.count; ++i, ++done) {
      LedgerEntry *entry = &ledger_chunks()[chunk].entries[i];
      entry->turn = static_cast<u16>(turns[entry->site]++);
      if (length && goes_on(ccl_ledger->sites[before->site], *before, *entry)) {
        ++length;
      } else {
        if (length) count_walk(ccl_ledger->sites[before->site], length);
        const LedgerSite &site = ccl_ledger->sites[entry->site];
        length = site.kind == kLoad && site.buffer != kSharedMemory;
      }
      before = entry;
    }
  if (length) count_walk(ccl_ledger->sites[before->site], length);
}

// Combines the logs of a warp's lanes and counts their accesses.
CCL_NOINLINE inline void count_warp(u32 warp) {
  Ledger &ledger = *ccl_ledger;
  LedgerLog *logs = ledger_logs() + warp * 32;
  u32 sites = static_cast<u32>(ledger.site_count);
  static u32 most[kMostLedgerSites], turns[kMostLedgerSites], base[kMostLedgerSites];
  __builtin_memset(most, 0, sites * sizeof(u32));
  u32 total = 0;
  for (u32 lane = 0; lane < 32; ++lane) {
    if (!logs[lane].count) continue;
    total += logs[lane].count;
    __builtin_memset(turns, 0, sites * sizeof(u32));
    read_log(logs[lane], turns);
    for (u32 site = 0; site < sites; ++site)
      if (turns[site] > most[site]) most[site] = turns[site];
  }
  if (!total) return;
  u32 groups = 0;
  for (u32 site = 0; site < sites; ++site) {
    base[site] = groups;
    groups += most[site];
  }
  WarpAccess *accesses = reinterpret_cast<WarpAccess *>(ledger.scratch);
  for (u32 i = 0; i < groups; ++i) accesses[i].lanes = 0;
  for (u32 lane = 0; lane < 32; ++lane) {
    u32 chunk = logs[lane].first;
    for (u32 done = 0; done < logs[lane].count; chunk = ledger_chunks()[chunk].next)
      for (u32 i = 0; i < kChunkEntries && done < logs[lane].count; ++i, ++done) {
        const LedgerEntry &entry = ledger_chunks()[chunk].entries[i];
        WarpAccess &access = accesses[base[entry.site] + entry.turn];
        access.lanes |= 1u << lane;
        access.addresses[lane] = entry.address;
      }
    give_chunks_back(logs[lane]);
  }
  for (u32 site = 0; site < sites; ++site)
    for (u32 i = 0; i < most[site]; ++i)
      count_warp_access(ledger.sites[site], accesses[base[site] + i]);
}

inline void count_all_warps() {
  for (u32 warp = 0; warp < ccl_engine.slots / 32; ++warp) count_warp(warp);
}

// ---------------------------------------------------------------------------------------------
// Calls from the runtime

// Counts an access by cell, and atomics that meet at a cell in one round of the schedule.
inline void count_cell(const LedgerBuffer &buffer, AccessKind kind, u64 offset) {
  u64 bytes = buffer.item_bytes;
  u64 cell = bytes & (bytes - 1) ? offset / bytes : offset >> __builtin_ctzll(bytes);  // faster
  ++buffer.counts[kind][cell];
  if (kind != kAtomic) return;
  if (buffer.rounds[cell] != ccl_ledger->round) {
    buffer.rounds[cell] = static_cast<u32>(ccl_ledger->round);
    buffer.in_round[cell] = 0;
  }
  if (++buffer.in_round[cell] > buffer.most_in_round[cell])
    buffer.most_in_round[cell] = buffer.in_round[cell];
}

// Returns the low four bytes of the value to load.
CCL_INLINE u32 loaded_value(u64 address, u32 bytes) {
  const void *memory = reinterpret_cast<const void *>(address);
  u32 value = 0;
  if (CCL_LIKELY(bytes >= 4))
    __builtin_memcpy(&value, memory, 4);
  else
    __builtin_memcpy(&value, memory, bytes == 2 ? 2 : 1);
  return value;
}

// Extends a log.
CCL_NOINLINE inline void extend_log(LedgerLog &log) {
  if (log.count == kMostLaneEntries) count_warp(ccl_engine.current >> 5);
  u32 chunk = take_chunk();
  if (chunk == kNoChunk) {
    count_all_warps();  // unfinished accesses of a warp may be counted as two
    chunk = take_chunk();
  }
  if (log.count == 0)
    log.first = chunk;
  else
    ledger_chunks()[log.last].next = chunk;
  log.last = chunk;
}

CCL_INLINE void enter_in_ledger(u64 address, u32 bytes, AccessKind kind, u64 site, u32 buffer) {
  Ledger &ledger = *ccl_ledger;
  if (buffer != kSharedMemory)
    count_cell(ledger.buffers[buffer], kind, address - ccl_engine.request->ranges[buffer].begin);
  LedgerLog &log = ledger_logs()[ccl_engine.current];
  u32 index = log.count % kChunkEntries;
  if (index == 0) {
    extend_log(log);
    index = log.count % kChunkEntries;
  }
  LedgerEntry &entry = ledger_chunks()[log.last].entries[index];
  ++log.count;
  entry.address = address;
  entry.value = kind == kLoad ? loaded_value(address, bytes) : 0;
  entry.site = static_cast<u16>(ledger_site(site, buffer, kind, bytes));
}

// All lanes of a warp are at the same place in the code.
inline void align_warp(u32 warp) {
  if (counting()) count_warp(warp);
}

inline void note_barrier(u32 first_warp, u32 warps) {
  if (!counting()) return;
  ccl_ledger->barriers += 1;
  for (u32 warp = first_warp; warp < first_warp + warps; ++warp) count_warp(warp);
}

inline void note_warp_operation(u32 warp, u32 lanes, u32 existing) {
  if (!counting()) return;
  ccl_ledger->warp_operations += 1;
  ccl_ledger->warp_lanes += static_cast<u32>(__builtin_popcount(lanes));
  if (lanes == existing) count_warp(warp);
}

inline void note_round() {
  if (counting()) ccl_ledger->round += 1;
}

}  // namespace ccl
CCL_RUNTIME_END
