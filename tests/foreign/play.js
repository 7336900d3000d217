// Plays a whole game through the service from another language, with nothing but the .proto files.
//
//   node play.js HOST:PORT [SEED] [GAME] [VARIANT]
//
// One referee deals and keeps the whole position; three players keep only their own observation. A player asks for its
// move from its observation, and reports what it is told - public events, chance among them, and those private to it - to
// have the observation brought up to date. At the end each player must know what Observe says of the referee's position.
// Prints one line of JSON; the exit code is 1 when anything is not as it should be.

import assert from "node:assert/strict";
import path from "node:path";
import { fileURLToPath } from "node:url";

import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

// By game and variant; the first of a game is played when none is named.
const SETUPS = {
  ocean: { targets: { seats: 3, rules: { ocean: { promo: true, passing: "OCEAN_PASSING_ALTERNATE" } } } },
  heart: { base: { seats: 3, rules: { heart: { mirror_patterns: true, bonus_tile_optional: true } } } },
  sanctuary: {
    base: { seats: 3, rules: { sanctuary: { round_bonuses: true, food_cap: 30 } } },
    solo: { seats: 1, rules: { sanctuary: { challenge: "SANCTUARY_CHALLENGE_WEAK_CUT" } } },
  },
};
const DEADLINE_MS = 30_000;
const PROTO = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "proto");

const { advisor } = grpc.loadPackageDefinition(
  protoLoader.loadSync("advisor/v1/advisor_service.proto", {
    includeDirs: [PROTO],
    keepCase: true,
    longs: String,
    enums: String,
    oneofs: true,
  }),
);

// Every call may be tried again, because the service keeps no state.
const SERVICE_CONFIG = {
  methodConfig: [
    {
      name: [{ service: "advisor.v1.AdvisorService" }],
      retryPolicy: {
        maxAttempts: 4,
        initialBackoff: "0.1s",
        maxBackoff: "2s",
        backoffMultiplier: 2,
        retryableStatusCodes: ["UNAVAILABLE"],
      },
    },
  ],
};

class Service {
  #stub;
  calls = 0;

  constructor(address) {
    this.#stub = new advisor.v1.AdvisorService(address, grpc.credentials.createInsecure(), {
      "grpc.service_config": JSON.stringify(SERVICE_CONFIG),
    });
  }

  call(method, request) {
    this.calls += 1;
    return new Promise((resolve, reject) => {
      this.#stub[method](request, { deadline: Date.now() + DEADLINE_MS }, (error, response) => {
        if (error) reject(error);
        else resolve(response);
      });
    });
  }

  // Returns every answer of a stream, the final one last.
  watch(request) {
    this.calls += 1;
    return new Promise((resolve, reject) => {
      const answers = [];
      const stream = this.#stub.WatchAdvice(request, { deadline: Date.now() + DEADLINE_MS });
      stream.on("data", (answer) => answers.push(answer));
      stream.on("error", reject);
      stream.on("end", () => resolve(answers));
    });
  }

  close() {
    this.#stub.close();
  }
}

class Referee {
  #service;
  position;
  status;

  constructor(service) {
    this.#service = service;
  }

  async deal(setup) {
    const { position, status } = await this.#service.call("NewPosition", setup);
    Object.assign(this, { position, status });
  }

  observe(seat) {
    return this.#service.call("Observe", { position: this.position, seat });
  }

  // Returns what happened.
  async play(seat, move, seed) {
    const { position, status, events } = await this.#service.call("ApplyMove", {
      position: this.position,
      seat,
      move,
      seed,
    });
    Object.assign(this, { position, status });
    return events;
  }
}

class Player {
  #service;
  #ask;
  #shown = [];
  seat;
  observation;
  status;

  constructor(service, seat, seen, ask) {
    this.#service = service;
    this.#ask = ask;
    this.seat = seat;
    this.observation = seen.position;
    this.status = seen.status;
  }

  async decide() {
    const move = await this.#ask(this.#service, { position: this.observation, seat: this.seat });
    this.#shown = await this.#take({ move });
    return move;
  }

  // What is private to another seat must never be told here; what the own move has shown is known already.
  async see(events) {
    for (const event of events) assert.ok(!isPrivate(event) || event.private_to === this.seat);
    assert.deepEqual(events.slice(0, this.#shown.length), this.#shown);
    const news = events.slice(this.#shown.length);
    this.#shown = [];
    if (news.length > 0) await this.#take({ events: news });
  }

  async #take(news) {
    const { position, status, events } = await this.#service.call("ApplyMove", {
      position: this.observation,
      seat: this.seat,
      ...news,
    });
    this.observation = position;
    this.status = status;
    return events;
  }
}

function isPrivate(event) {
  return event._private_to === "private_to";
}

// Three ways to ask for a move.

async function byAdvice(service, at) {
  const answer = await service.call("Advise", { ...at, limits: { simulations: 200 }, options: { max_moves: 1 } });
  assert.equal(answer.moves.length, 1);
  return answer.moves[0].move;
}

async function byLevel(service, at) {
  const { moves, level } = await service.call("ChooseMove", { ...at, level: 3 });
  assert.equal(level, 3);
  return moves[0];
}

async function byWatching(service, at) {
  const answers = await service.watch({
    advise: { ...at, limits: { time: { nanos: 50_000_000 } } },
    interval: { nanos: 20_000_000 },
  });
  assert.deepEqual(
    answers.map((answer) => answer.final === true),
    answers.map((_, i) => i === answers.length - 1),
  );
  return answers.at(-1).advice.moves[0].move;
}

async function main(address, setup) {
  const { game, variant, seats, seed } = setup;
  const service = new Service(address);
  try {
    const { games } = await service.call("ListGames", {});
    const known = games.find((one) => one.game === game);
    assert.ok(known.variants.some((one) => one.variant === variant && one.min_seats <= seats && seats <= one.max_seats));
    const referee = new Referee(service);
    await referee.deal(setup);
    const ways = [byAdvice, byLevel, byWatching];
    const players = [];
    for (let seat = 0; seat < seats; seat += 1) {
      players.push(new Player(service, seat, await referee.observe(seat), ways[seat]));
    }

    // A decision of a seat that owes none is refused.
    const nobody = service.call("ListMoves", { position: referee.position, seat: seats });
    await assert.rejects(nobody, { code: grpc.status.INVALID_ARGUMENT });

    let moves = 0;
    while (!referee.status.over) {
      // People commit in any order.
      const { pending } = referee.status;
      const seat = pending[(moves * 7 + 1) % pending.length];
      const events = await referee.play(seat, await players[seat].decide(), seed);
      moves += 1;
      for (const player of players) {
        await player.see(events.filter((event) => !isPrivate(event) || event.private_to === player.seat));
        assert.deepEqual(player.status.pending, referee.status.pending);
      }
    }

    for (const player of players) {
      const { position, status } = await referee.observe(player.seat);
      assert.deepEqual(player.status, status);
      assert.deepEqual(player.observation, position);
      assert.ok(status.over);
      assert.equal(status.ranks.length, seats);
    }
    const { scores, ranks } = referee.status;
    console.log(JSON.stringify({ game, variant, seats, moves, calls: service.calls, scores, ranks }));
  } finally {
    service.close();
  }
}

const [address, seed = "1", game = "ocean", named] = process.argv.slice(2);
const variant = named ?? Object.keys(SETUPS[game] ?? {})[0];
const setup = SETUPS[game]?.[variant];
if (!address || !setup) {
  console.error(`usage: node play.js HOST:PORT [SEED] [${Object.keys(SETUPS).join("|")}] [VARIANT]`);
  process.exit(2);
}
await main(address, { game, variant, seed, ...setup });
