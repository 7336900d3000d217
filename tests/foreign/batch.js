// Asks many questions over one stream from another language, with nothing but the .proto files.
//
//   node batch.js HOST:PORT
//
// Three games and the computer's move in each, one question that is wrong, and one that would search for minutes and is
// cancelled as soon as another is answered. Prints one line of JSON; the exit code is 1 when anything is not as it should be.

import assert from "node:assert/strict";
import path from "node:path";
import { fileURLToPath } from "node:url";

import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";

const PROTO = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "proto");
const DEADLINE_MS = 60_000;

const { advisor } = grpc.loadPackageDefinition(
  protoLoader.loadSync("advisor/v1/advisor_service.proto", {
    includeDirs: [PROTO],
    keepCase: true,
    longs: String,
    enums: String,
    oneofs: true,
  }),
);

function newPosition(stub, setup) {
  return new Promise((resolve, reject) => {
    stub.NewPosition(setup, { deadline: Date.now() + DEADLINE_MS }, (error, response) => {
      if (error) reject(error);
      else resolve(response.position);
    });
  });
}

// Returns all answers by id, once the stream has ended well. `onAnswer` may write to the stream.
function batch(stub, requests, onAnswer) {
  return new Promise((resolve, reject) => {
    const answers = {};
    const stream = stub.AdviseBatch({ deadline: Date.now() + DEADLINE_MS });
    stream.on("data", (answer) => {
      assert.ok(!(answer.id in answers), `${answer.id} is answered twice`);
      answers[answer.id] = answer;
      onAnswer(stream, answers);
    });
    stream.on("error", reject);
    stream.on("end", () => resolve(answers));
    for (const request of requests) stream.write(request);
  });
}

async function main(address) {
  const stub = new advisor.v1.AdvisorService(address, grpc.credentials.createInsecure());
  try {
    const requests = [];
    const wanted = [];
    for (const game of ["ocean", "heart", "sanctuary"]) {
      const position = await newPosition(stub, { game, seats: 2, seed: "7", first_seat: game === "heart" ? 0 : undefined });
      const seat = 0;
      requests.push(
        { id: `${game} advice`, advise: { position, seat, limits: { simulations: "200" } } },
        { id: `${game} choice`, choose: { position, seat, level: 2, seed: "1" } },
      );
      wanted.push(`${game} advice`, `${game} choice`);
    }
    const { position } = requests[0].advise;
    requests.unshift({
      id: "long",
      advise: { position, seat: 0, limits: { time: { seconds: 300 } }, options: { algorithm: "ALGORITHM_FLAT" } },
    });
    requests.push({ id: "wrong", advise: { position, seat: 9 } });

    let cancelled = false;
    const answers = await batch(stub, requests, (stream, known) => {
      if (!cancelled) {
        cancelled = true;
        stream.write({ id: "long", cancel: {} });
      }
      if (wanted.every((id) => id in known)) stream.end();
    });

    assert.deepEqual(Object.keys(answers).sort(), requests.map((request) => request.id).sort());
    for (const id of wanted) {
      assert.equal(answers[id].outcome, id.endsWith("advice") ? "advice" : "choice");
      assert.ok(answers[id][answers[id].outcome].moves.length >= 1);
    }
    assert.equal(answers.long.failure.code, grpc.status.CANCELLED);
    assert.equal(answers.long.failure.reason, "CANCELLED");
    assert.equal(answers.wrong.failure.code, grpc.status.INVALID_ARGUMENT);
    assert.deepEqual(
      answers.wrong.failure.faults.map((fault) => fault.field),
      ["advise.seat"],
    );

    // An id that is open may not be used for another question.
    const twice = batch(stub, [requests[0], requests[0]], () => {});
    await assert.rejects(twice, { code: grpc.status.INVALID_ARGUMENT });
    console.log(JSON.stringify({ questions: requests.length, answers: Object.keys(answers).length }));
  } finally {
    stub.close();
  }
}

const [address] = process.argv.slice(2);
if (!address) {
  console.error("usage: node batch.js HOST:PORT");
  process.exit(2);
}
await main(address);
